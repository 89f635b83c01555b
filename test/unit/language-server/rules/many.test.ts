import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { NO_WINDOW } from '../../../../src/base/tools/ruleWindow.ts';
import { compile } from '../../../../src/language-server/rules/checks/relations.ts';
import { findUnneeded } from '../../../../src/language-server/rules/checks/unneeded.ts';
import { createOpenRules } from '../../../../src/language-server/rules/openRules.ts';
import { completeRule } from '../../../../src/language-server/rules/ruleCompletion.ts';
import { hoverRule } from '../../../../src/language-server/rules/ruleHover.ts';
import { parseRules } from '../../../../src/permissions/rules/parseRules.ts';
import { diagnose, readSettings, toSettings, URI } from './settings.ts';

const MANY = 10_000;
const rules = Array.from({ length: MANY }, (_, index) => ({
  permission: 'bash',
  pattern: `git log ${index}`,
  action: 'allow',
}));

test('of 10,000 rules each pattern is read a few times, however many are equal', () => {
  for (const list of [rules, rules.map((each) => ({ ...each, pattern: 'git log' }))]) {
    let read = 0;
    const listed = parseRules(list, 'project').rules.map((rule, index) => {
      const compiled = compile(rule);
      return {
        index,
        compiled: {
          ...compiled,
          command: () => {
            read += 1;
            return compiled.command();
          },
        },
      };
    });
    findUnneeded(listed);
    assert.ok(read <= 2 * MANY, `${read}`);
  }
});

/** Every second one is a deny. */
const mixed = readSettings(
  toSettings(rules.map((each, index) => (index % 2 === 0 ? each : { ...each, action: 'deny' }))),
);

/** The mixed rules, which count how often each pattern is looked at. */
function countReads() {
  const document = mixed;
  const reads = document.entries.map(() => 0);
  const entries = document.entries.map(({ rule, ...entry }, index) => ({
    ...entry,
    rule: {
      ...rule,
      get pattern() {
        reads[index] = (reads[index] ?? 0) + 1;
        return rule.pattern;
      },
    },
  }));
  return {
    ...{ document: { ...document, entries }, reads },
    text: TextDocument.create(URI, 'jsonc', 1, document.text),
  };
}

test('the hover of one of 10,000 rules looks at those of another action only, a few times', () => {
  const { document, text, reads } = countReads();
  const own = MANY / 2;
  const hover = hoverRule(document, text, text.positionAt(document.entries[own]?.node.offset ?? 0));
  assert.match(JSON.stringify(hover), /Rule 5001 of 10000/);
  assert.ok(Math.max(...reads) <= 10, `${Math.max(...reads)}`);
  const isRead = (at: number) => at !== own && reads[at] !== 0;
  assert.deepEqual(
    [...reads.keys()].filter((at) => at % 2 === 0 && isRead(at)),
    [],
  );
});

test('completion among 10,000 rules looks at no other rule', () => {
  const { document, text, reads } = countReads();
  const value = document.entries[MANY / 2]?.fields.get('pattern')?.value;
  const position = text.positionAt((value?.offset ?? 0) + 1);
  const items = completeRule(document, text, position, NO_WINDOW);
  assert.ok(items.some(({ label }) => label === 'git log *'));
  assert.deepEqual(new Set(reads), new Set([0]));
});

test('a file with 10,000 rules is read and checked once for all that is asked about it', () => {
  let read = 0;
  const text = toSettings(rules);
  const getText = () => {
    read += 1;
    return text;
  };
  const open = createOpenRules(() => ({ version: 1, getText }));
  const found = open.diagnostics(URI);
  for (let asked = 0; asked < 5; asked += 1) {
    assert.equal(open.get(URI)?.entries.length, MANY);
    assert.equal(open.diagnostics(URI), found);
  }
  assert.equal(read, 1);
});

test('10,000 broken rules have a bounded number of diagnostics, errors first', () => {
  const broken = rules.map((each, index) => (index % 2 === 0 ? { ...each, permission: 'bsh' } : 5));
  const found = diagnose(toSettings(broken));
  assert.equal(found.length, 1000);
  assert.ok(found.every(({ severity }) => severity === 'error'));
  assert.equal(readSettings(toSettings(broken)).entries.length, MANY);
});
