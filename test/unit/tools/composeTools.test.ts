import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeTools } from '../../../src/tools/composeTools.ts';
import type { Tool } from '../../../src/tools/contract.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';
import type { ToolOffer } from '../../../src/tools/toolSource.ts';
import { fakeTool } from './session.ts';

const HOST = { source: 'built-in', offer: toOffer(lockedTools([])) };

function toOffer(tools: readonly Tool[], more: Partial<ToolOffer> = {}): ToolOffer {
  return { tools: tools.map((tool) => ({ tool })), notOffered: [], pending: [], ...more };
}

/** What the composition of the host's tools and one more source refuses. */
function refuse(...tools: readonly Tool[]): readonly (readonly [string, string])[] {
  const { notOffered } = composeTools([HOST, { source: 'test', offer: toOffer(tools) }], []);
  return notOffered.map(({ id, why }) => [id, why]);
}

test('C-3 locked tools come first, then the others source by source in their order', () => {
  const a = { source: 'a', offer: toOffer([fakeTool({ id: 'z' }), fakeTool({ id: 'y' })]) };
  const b = { source: 'b', offer: toOffer([fakeTool({ id: 'x' })]) };
  const { registry, tools } = composeTools([HOST, a, b], []);
  const locked = lockedTools([]).map(({ id }) => id);
  assert.deepEqual(
    registry.list().map(({ id }) => id),
    [...locked, 'z', 'y', 'x'],
  );
  assert.deepEqual(
    tools.slice(locked.length).map(({ source }) => source),
    ['a', 'a', 'b'],
  );
});

for (const [field, type] of [
  ['description', 'string'],
  ['parameters', 'object'],
  ['requires', 'object'],
  ['subjects', 'function'],
  ['execute', 'function'],
] as const) {
  test(`VC-2 a tool without ${field} is not offered, and the field is named`, () => {
    const tool = { ...fakeTool({ id: 'x' }), [field]: undefined } as unknown as Tool;
    assert.deepEqual(refuse(tool), [['x', `The tool has no "${field}" (${type}).`]]);
  });
}

test('VC-2 what is no tool at all is not offered, and takes no other tool with it', () => {
  const odd = [undefined, null, 'tool', { ...fakeTool({ id: '' }) }] as unknown as Tool[];
  const offer = toOffer([...odd, fakeTool({ id: 'fine' })]);
  const { registry, notOffered } = composeTools([{ source: 'test', offer }], []);
  assert.deepEqual(
    registry.list().map(({ id }) => id),
    ['fine'],
  );
  assert.deepEqual(
    notOffered.map(({ id }) => id),
    ['?', '?', '?', '?'],
  );
});

test('VC-5 a locked id cannot be taken, built or not, even where the locked tools are missing', () => {
  for (const id of ['bash', 'task', 'skill', 'tool_search']) {
    const why = `The id "${id}" is locked; choose another.`;
    assert.deepEqual(refuse(fakeTool({ id })), [[id, why]]);
    const offer = toOffer([fakeTool({ id })]);
    assert.equal(composeTools([{ source: 'test', offer }], []).registry.get(id), undefined);
  }
});

test('C-3 the first tool of an id keeps it, and the later one is listed with its file', () => {
  const first = fakeTool({ id: 'mine' });
  const second = fakeTool({ id: 'mine', description: 'Another.' });
  const origin = { file: '/w/tools.json', pointer: '/tools/1' };
  const offer = { ...toOffer([first]), tools: [{ tool: first }, { tool: second, ...origin }] };
  const { registry, notOffered } = composeTools([{ source: 'test', offer }], []);
  assert.equal(registry.get('mine'), first);
  const why = 'The id "mine" is already used by another tool.';
  assert.deepEqual(notOffered, [{ id: 'mine', source: 'test', ...origin, why }]);
});

test('a tool that is switched off is listed, and neither the model nor a call finds it', () => {
  const offer = toOffer([fakeTool({ id: 'mine' })]);
  const { registry, tools } = composeTools([HOST, { source: 'test', offer }], ['mine', 'bash']);
  assert.deepEqual([registry.get('mine'), registry.get('bash')], [undefined, undefined]);
  assert.deepEqual(
    tools.filter(({ disabled }) => disabled).map(({ tool }) => tool.id),
    ['bash', 'mine'],
  );
});

test('what a source holds back keeps its reason, and its files wait in the list', () => {
  const pending = [{ file: '/w/tools.json', hash: 'h', tools: [] }];
  const held = { id: 'later', why: 'Not accepted.' };
  const offer = toOffer([], { notOffered: [held], pending });
  const composed = composeTools([HOST, { source: 'test', offer }], []);
  assert.deepEqual(composed.notOffered, [{ ...held, source: 'test' }]);
  assert.deepEqual(composed.pending, pending);
});
