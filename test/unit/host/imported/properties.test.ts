import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ExistingRule } from '../../../../src/host/imported/settle.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { bashCall, evaluate, evaluateFileTool, policyOf } from '../../permissions/ask.ts';
import {
  type Answer,
  askClaude,
  askClaudeAboutFile,
  askEditor,
  askEditorAboutFile,
  askOpenCode,
  askOpenCodeAboutLine,
} from './models.ts';
import { type Files, importFrom, NAMES, plant, toRules, write } from './scene.ts';

const RUNS = { numRuns: 120, seed: 14 } as const;

// Few words, so that rules and commands meet.
const program = fc.constantFrom('git', 'git', 'git', 'npm', 'gits');
const word = fc.constantFrom('push', 'push', 'tests', 'x', '--force');
const command = fc
  .tuple(program, fc.array(word, { maxLength: 2 }))
  .map(([name, words]) => [name, ...words].join(' '));
const line = fc
  .array(command, { minLength: 1, maxLength: 2 })
  .map((commands) => commands.join(' && '));

const wild = fc
  .tuple(command, fc.constantFrom('', '*', ' *', ' * *'), fc.nat(3), fc.boolean())
  .map(([text, end, at, inside]) => {
    const words = text.split(' ');
    if (inside) words[Math.min(at, words.length - 1)] = '*';
    return words.join(' ') + end;
  });

const claudeRule = fc
  .oneof(
    command,
    command.map((text) => `${text}:*`),
    wild,
  )
  .map((text) => `Bash(${text})`);
const some = <Value>(values: fc.Arbitrary<Value>) => fc.array(values, { maxLength: 3 });
const claude = fc.record({
  allow: some(claudeRule),
  ask: some(claudeRule),
  deny: some(claudeRule),
});

const tail = fc.constantFrom(
  '',
  '\\b',
  '$',
  '(\\s|$)',
  '( .*)?$',
  ' .*',
  '.*$',
  '\\s+\\w+',
  '.+',
  ' .+$',
);
const regex = fc
  .tuple(command, command, tail, fc.constantFrom('^', ''), fc.constantFrom('', 's', 'i'), fc.nat(5))
  .map(([text, other, end, start, flags, form]) => {
    const spaced = text.replaceAll(' ', '\\s+');
    const bodies = [text, spaced, `(${text}|${other})`, `${text}( ${other})?`, `${text}.*${other}`];
    return `/${start}${bodies[form] ?? `(?:${text})+`}${end}/${flags}`;
  });
const editor = fc.dictionary(
  fc.oneof(command, regex),
  fc.oneof(
    fc.boolean(),
    fc.record({ approve: fc.boolean(), matchCommandLine: fc.boolean() }),
    fc.constant(null),
  ),
  { maxKeys: 4 },
);
const action = fc.constantFrom('allow', 'ask', 'deny');
const openCode = fc.dictionary(fc.oneof(command, wild, fc.constant('*')), action, { maxKeys: 5 });

const existing: fc.Arbitrary<ExistingRule> = fc.record({
  permission: fc.constantFrom('bash', 'shell.run', '*'),
  pattern: fc.oneof(command, wild),
  action,
  destination: fc.constant('user' as const),
}) as fc.Arbitrary<ExistingRule>;

const base = plant();

/** Imports these files only. */
function importOnly(files: Files, existingRules: readonly ExistingRule[] = []) {
  const none = Object.fromEntries(Object.values(NAMES).map((name) => [name, {}]));
  write(base, { ...none, ...files });
  return importFrom(base, existingRules);
}

function decide(text: string, rules: readonly Rule[]) {
  return evaluate(bashCall(text), policyOf(rules));
}

/** An allow needs a product that allows the call, and none that denies it. */
function compare(
  decision: string,
  answers: readonly Answer[],
  allSaid: boolean,
  what: string,
): void {
  if (decision === 'allow') assert.ok(answers.includes('allow'), `${what} is allowed: ${answers}`);
  if (!answers.includes('deny')) return;
  assert.notEqual(decision, 'allow', `${what} is denied: ${answers}`);
  if (allSaid) assert.equal(decision, 'deny', what);
}

test('a command that imported rules allow is allowed by its product, and a deny stays one', async () => {
  await fc.assert(
    fc.asyncProperty(claude, editor, openCode, line, async (a, b, c, text) => {
      const imported = importOnly({
        [NAMES.claude]: { permissions: a },
        [NAMES.editor]: { 'chat.tools.terminal.autoApprove': b },
        [NAMES.openCode]: { permission: { bash: c } },
      });
      const { decision } = await decide(text, toRules(imported));
      const ask = (part: string) =>
        // Each command of a line may be allowed by another product.
        [askClaude(a, part), askEditor(b, part), askOpenCodeAboutLine(c, part)];
      const allowed = text.split(' && ').every((part) => ask(part).includes('allow'));
      const answers = [...ask(text), ...(allowed ? (['allow'] as const) : [])];
      const denied = imported.entries.filter((each) => each.action === 'deny');
      const allSaid = denied.every(({ reason }) => reason === undefined);
      compare(decision, answers, allSaid, text);
    }),
    { ...RUNS, numRuns: 300 },
  );
});

for (const [name, settings, file, answer] of [
  ['Claude Code', claude, NAMES.claude, askClaude],
  ['VS Code', editor, NAMES.editor, askEditor],
  ['OpenCode', openCode, NAMES.openCode, askOpenCodeAboutLine],
] as const) {
  test(`a command that imported rules of ${name} alone allow is allowed there`, async () => {
    await fc.assert(
      fc.asyncProperty(settings as fc.Arbitrary<object>, some(line), async (rules, lines) => {
        const content = {
          [NAMES.claude]: { permissions: rules },
          [NAMES.editor]: { 'chat.tools.terminal.autoApprove': rules },
          [NAMES.openCode]: { permission: { bash: rules } },
        }[file];
        const imported = importOnly({ [file]: content });
        for (const text of lines) {
          const { decision } = await decide(text, toRules(imported));
          const ask = answer as (rules: object, text: string) => Answer;
          compare(decision, [ask(rules, text)], false, text);
        }
      }),
      { ...RUNS, numRuns: 150 },
    );
  });
}

test('what own rules deny or ask about stays so after an import', async () => {
  const order = { allow: 0, ask: 1, deny: 2, refuse: 3 } as const;
  await fc.assert(
    fc.asyncProperty(some(existing), claude, openCode, command, async (own, a, c, text) => {
      const imported = importOnly(
        { [NAMES.claude]: { permissions: a }, [NAMES.openCode]: { permission: { bash: c } } },
        own,
      );
      const rules = own.map((rule): Rule => ({ ...rule, source: 'project' }));
      const before = await decide(text, rules);
      const after = await decide(text, [...rules, ...toRules(imported)]);
      const isFirm = before.subjects.some(({ rule }) => rule !== undefined);
      if (isFirm && before.decision !== 'allow') {
        assert.ok(order[after.decision] >= order[before.decision], `${text}: ${before.reason}`);
      }
    }),
    RUNS,
  );
});

const file = fc.constantFrom(
  ...['src/f', 'src/k', 'src/a.py', '.env', 'src/.env', 'sub/.env', 'secrets/a', 'secrets/a.py'],
  ...['src/deep/er/x.md', 'a.py', 'src.py', 'certs/.a.key', 'docs'],
);
const segment = fc.constantFrom(
  'src',
  'secrets',
  '*',
  '**',
  '.env',
  '*.py',
  'a*',
  'deep',
  '?',
  'x.md',
);
const glob = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const tool = fc.constantFrom('Read', 'Edit');
const fileRule = fc
  .tuple(tool, glob, fc.constantFrom('', './', '**/'), fc.constantFrom('', '/', '/**'))
  .map(([name, pattern, start, end]) => `${name}(${start}${pattern}${end})`);
const claudeFiles = fc.record({ allow: some(fileRule), ask: some(fileRule), deny: some(fileRule) });

async function decideFile(name: string, target: string, rules: readonly Rule[]): Promise<string> {
  const own = rules.map(
    ({ permission, pattern, action: act }) => `${permission} ${pattern} ${act}`,
  );
  return (await evaluateFileTool(name, target, own)).decision;
}

test('a file that imported rules allow is allowed by its product, and a deny stays one', async () => {
  const editorFiles = fc.dictionary(glob, fc.boolean(), { maxKeys: 4 });
  const openCodeFiles = fc.dictionary(fc.oneof(glob, fc.constant('*.env')), action, { maxKeys: 4 });
  await fc.assert(
    fc.asyncProperty(
      ...([claudeFiles, editorFiles, openCodeFiles, file, tool] as const),
      async (a, b, c, target, name) => {
        const imported = importOnly({
          [NAMES.claude]: { permissions: a },
          [NAMES.editor]: { 'chat.tools.edits.autoApprove': b },
          [NAMES.openCode]: { permission: { read: c, edit: c } },
        });
        const lower = name.toLowerCase();
        const decision = await decideFile(lower, target, toRules(imported));
        const answers = [askClaudeAboutFile(a, name, target), askOpenCode(c, target)];
        if (name === 'Edit') answers.push(askEditorAboutFile(b, target));
        const denied = imported.entries.filter((each) => each.action === 'deny');
        const allSaid = denied.every(({ reason }) => reason === undefined);
        compare(decision, answers, allSaid, `${name} ${target}`);
      },
    ),
    { ...RUNS, numRuns: 200 },
  );
});
