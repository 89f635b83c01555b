import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolRow } from '../../../../src/base/tools/toolRow.ts';
import { declaresTools, toDisabled, toTree } from '../../../../src/extension/declared/toolTree.ts';
import { english } from '../english.ts';

const READ: ToolRow = {
  id: 'read',
  source: 'built-in',
  kind: 'read',
  description: 'Reads a file.',
  requires: { fs: { read: ['{workspace}/**'] } },
  parameters: { type: 'object' },
  state: 'offered',
};
const CLOCK: ToolRow = {
  ...READ,
  id: 'shop_clock',
  source: 'declared',
  kind: 'other',
  file: '/shop/tools.json',
  pointer: '/tools/0',
};

function shown(...rows: ToolRow[]) {
  return toTree(rows, (file) => file.slice(1), english).map(({ label, tools }) => [
    label,
    tools.map(({ id, description, icon, context }) => [id, description, icon, context]),
  ]);
}

test('the view of tools has something to show once some are declared, served or to be reviewed', () => {
  const run = { id: 'shop_clock', description: '', runs: 'date', reachesAnyHost: false };
  const pending = [{ file: '/shop/tools.json', hash: 'h', tools: [run] }];
  const served = { ...READ, id: 'everything_echo', source: 'mcp', server: 'everything' };
  assert.equal(declaresTools({ tools: [READ], pending: [] }), false);
  assert.equal(declaresTools({ tools: [READ, CLOCK], pending: [] }), true);
  assert.equal(declaresTools({ tools: [READ, served], pending: [] }), true);
  assert.equal(declaresTools({ tools: [READ], pending }), true);
});

test('tools are grouped by source and show their kind', () => {
  assert.deepEqual(shown(READ, CLOCK), [
    ['Built in', [['read', 'read', 'tools', 'built-in offered enabled']]],
    ['shop/tools.json', [['shop_clock', 'other', 'tools', 'declared offered enabled']]],
  ]);
});

test('a tool that is not offered shows why, and a disabled one that it is disabled', () => {
  const held = { ...CLOCK, state: 'not offered' as const, why: 'its program is missing' };
  assert.deepEqual(shown({ ...READ, state: 'disabled' }, held), [
    ['Built in', [['read', 'disabled', 'eye-closed', 'built-in disabled']]],
    [
      'shop/tools.json',
      [['shop_clock', 'its program is missing', 'circle-slash', 'declared held']],
    ],
  ]);
});

test('a tool that is disabled by its former id can be enabled again', () => {
  const row = { ...CLOCK, formerId: 'clone_clock', state: 'disabled' as const };
  const [item] = toTree([row], (file) => file, english)[0]?.tools ?? [];
  assert.ok(item);
  const before = ['read', 'clone_clock', 'shop_clock'];
  assert.deepEqual(toDisabled(before, item, true), ['read']);
  assert.deepEqual(toDisabled(['read', 'clone_clock'], item, false), [
    ...['read', 'clone_clock', 'shop_clock'],
  ]);
});

test('the last error is a warning with its text', () => {
  const [group] = toTree([{ ...CLOCK, lastError: 'exit status 3' }], (file) => file, english);
  assert.equal(group?.tools[0]?.icon, 'warning');
  assert.match(group?.tools[0]?.tooltip ?? '', /Last error: exit status 3/);
});

test('text from a manifest is never a link in the tooltip', () => {
  const [group] = toTree(
    [{ ...CLOCK, description: '[x](command:evil) \\[x\\](command:evil) <img src=x> `date`' }],
    (file) => file,
    english,
  );
  const { tooltip = '' } = group?.tools[0] ?? {};
  assert.doesNotMatch(tooltip, /(?<!\\)[<[`]/);
  assert.match(tooltip, / date$/m);
});

test('the group of an MCP server knows the server, and whether the user is signed in', () => {
  const row = { kind: 'other', description: '', requires: {}, parameters: {} } as const;
  const held = { ...row, source: 'mcp', state: 'not offered' } as const;
  const groups = toTree(
    [
      { ...held, id: 'a', server: 'one', signIn: 'needed' },
      { ...held, id: 'b', server: 'two' },
    ],
    (file) => file,
    english,
  );
  assert.deepEqual(
    groups.map(({ label, server, signIn }) => [label, server, signIn]),
    [
      ['MCP server one', 'one', 'needed'],
      ['MCP server two', 'two', undefined],
    ],
  );
});
