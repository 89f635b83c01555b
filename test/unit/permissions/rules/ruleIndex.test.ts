import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decide } from '../../../../src/permissions/decide/decide.ts';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { CompiledRule } from '../../../../src/permissions/rules/compiledRule.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import { sizeOf } from '../../../workbench/sizes.ts';
import { policyOf, rulesOf } from '../ask.ts';

/** Patterns whose second word is whole, begun, a wildcard, an option, or missing. */
const OWN = rulesOf(
  'bash git allow',
  'bash git s* allow',
  'bash git * --stat allow',
  'bash git status allow',
  'bash git status -s* ask',
  'bash git -C * allow',
  'bash git push deny',
  'bash * status allow',
  'bash /usr/bin/git log deny',
);

/** Lines that developers run, what shipped rules name, and each of them with another second word. */
function listTexts(): ReadonlySet<string> {
  const lines = readFileSync('test/fixtures/ordinaryLines.txt', 'utf8').split('\n');
  const named = DEFAULT_RULES.map(({ pattern }) => pattern.replaceAll('*', 'x'));
  const texts = [
    ...lines,
    ...named,
    'git',
    'git ',
    'git  status',
    'git statusx',
    'git -C a status',
  ];
  return new Set(texts.flatMap((text) => [text, text.replace(' ', ' -v '), `${text} --stat`]));
}

test('the index leaves out no rule that decides about a command', () => {
  const aliases = ['git status', 'git push', 'rm -r x'];
  for (const rules of [DEFAULT_RULES, OWN, [...DEFAULT_RULES, ...OWN]] as const) {
    const { index, rules: all } = createPolicyCompiler().compile(policyOf(rules));
    for (const text of [...listTexts()].filter((_, at) => at % sizeOf(3, 1) === 0)) {
      for (const alias of [[], aliases]) {
        for (const inFolder of [undefined, ...(text.startsWith('git ') ? ['git status'] : [])]) {
          const own = {
            text,
            aliases: alias,
            spelled: [],
            hosts: [],
            remotes: [],
            options: listOptions(text),
          };
          const inner = inFolder !== undefined && { ...own, text: inFolder, options: [] };
          const command = { ...own, ...(inner && { inFolder: inner }) };
          const question = {
            tool: 'bash',
            capability: 'shell.run',
            match: 'command',
            command,
          } as const;
          const found = decide(question, index.find(text, alias, inFolder), 'linux');
          const whole = decide(question, all, 'linux');
          assert.equal(found.action, whole.action, text);
          // Of rules for several programs that are equally strict, any may be named.
          if (alias.length === 0) assert.equal(found.rule, whole.rule, text);
        }
      }
    }
  }
});

function listOptions(text: string): readonly string[] {
  return text.split(' ').filter((word, index) => index > 0 && word.startsWith('-'));
}

test('a command is matched against few of the rules for its program', () => {
  const { index, rules } = createPolicyCompiler().compile(policyOf(DEFAULT_RULES));
  const isForGit = ({ rule }: CompiledRule) => rule.pattern.startsWith('git ');
  const all = rules.all.filter(isForGit).length;
  const found = index.find('git status', []).all.filter(isForGit).length;
  assert.ok(found < all / 6, `${found} of ${all}`);
});
