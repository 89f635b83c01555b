import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import { Emitter } from '../../../../src/base/event.ts';
import { toVisible } from '../../../../src/base/text/visibleText.ts';
import { Asks } from '../../../../src/extension/asks/asks.ts';
import { ChatSession } from '../../../../src/extension/chat/chatSession.ts';
import {
  CARD_DELAY,
  type FileOnCard,
  followProposals,
} from '../../../../src/extension/chat/proposalCards.ts';
import { updateToolItem } from '../../../../src/extension/chat/toolItem.ts';
import type { PermissionAsk } from '../../../../src/webview/messages/asks.ts';
import { FakeClock } from '../fakeClock.ts';

test('a look-alike letter in a title is marked once, however many updates follow', () => {
  const first = { toolCallId: 'c', title: 'touch p\u0430ss' };
  const label = (path: string) => path;
  let item = updateToolItem(undefined, first, label);
  for (const status of ['pending', 'in_progress', 'completed'] as const)
    item = updateToolItem(item, { toolCallId: 'c', status }, label);
  assert.equal(item.title, 'touch p\u0430␣U+0430ss');
  assert.equal(updateToolItem(item, { toolCallId: 'c', title: 'read a' }, label).title, 'read a');
});

test('a path with hidden characters is shown in display form, with marks', () => {
  const file = '/w/src/a\u200bb.ts';
  const update = {
    toolCallId: 'c',
    title: 'Write /w/src/a␣U+200Bb.ts',
    locations: [{ path: file }],
  };
  const label = (path: string) => toVisible(path.slice('/w/'.length)).text;
  const item = updateToolItem(undefined, update, label);
  assert.equal(item.title, 'Write src/a␣U+200Bb.ts');
  assert.deepEqual(item.locations, [{ path: file, label: 'src/a␣U+200Bb.ts' }]);
});

test('the parts that an agent sends of one file have a gap between them', () => {
  const part = (oldText: string, newText: string) =>
    ({ type: 'diff', path: '/w/a.txt', oldText, newText }) as const;
  const update = { toolCallId: 'c', content: [part('a\n', 'A\n'), part('b\n', 'B\n')] };
  const { diffs } = updateToolItem(undefined, update, (path) => path);
  assert.deepEqual(
    diffs.map(({ rows }) => rows.map((row) => (row.sign === 'gap' ? row : row.text))),
    [['a', 'A', { sign: 'gap' }, 'b', 'B']],
  );
});

/** The card of a finished call whose output has a hundred thousand lines. */
function finish(kind: 'execute' | 'read', change: Partial<ToolCallUpdate> = {}) {
  const output = Array.from({ length: 100_000 }, (_, at) => `line ${at}`).join('\n');
  const rawOutput = {
    ...{ type: 'output', data: { output, exit_code: 0 }, metadata: { duration_ms: 9 } },
  };
  const call = { toolCallId: 'c', kind, status: 'completed', rawOutput } as const;
  return updateToolItem(undefined, { ...call, ...change }, (path) => path);
}

test('a command shows the end of its output, and a file that was read its beginning', () => {
  const run = finish('execute');
  assert.match(run.output, /^line \d+\n(?:.*\n)*line 99999$/);
  assert.ok(run.output.length <= 4_000 && run.outputCut);
  const read = finish('read');
  assert.match(read.output, /^line 0\n/);
  assert.ok(read.output.length <= 4_000 && read.outputCut);
});

test('the end that the host sends is shown, when the result has only the beginning', () => {
  const _meta = { gatehouse: { ranMs: 1_500, outputEnd: 'the very end\n' } };
  const { output, outputCut, ranMs, ended } = finish('execute', { _meta });
  assert.deepEqual([output, outputCut, ranMs, ended], ['the very end', true, 1_500, 0]);
});

test('a call of another agent is timed from its start to its end, a call of the past is not', () => {
  const label = (path: string) => path;
  const update = (status: 'in_progress' | 'completed') => ({ toolCallId: 'c', status });
  const begun = updateToolItem(undefined, update('in_progress'), label, 1_000);
  assert.equal(begun.startedAt, 1_000);
  assert.equal(updateToolItem(begun, update('completed'), label, 4_000).ranMs, 3_000);
  const past = updateToolItem(undefined, update('in_progress'), label);
  assert.equal(updateToolItem(past, update('completed'), label).ranMs, undefined);
});

test('a question keeps what was answered, live and after a reload', () => {
  const label = (path: string) => path;
  const rawInput = { questions: [{ question: 'Which\u200B port?' }, { question: 'Why?' }] };
  const data = { answers: [['8080', '9090'], []] };
  const rawOutput = { type: 'output', data, metadata: { duration_ms: 1 } };
  const asked = updateToolItem(undefined, { toolCallId: 'c', rawInput }, label);
  assert.deepEqual(asked.questions, [{ question: 'Which␣U+200B port?' }, { question: 'Why?' }]);
  const done = { toolCallId: 'c', status: 'completed', rawOutput } as const;
  const answered = [
    { question: 'Which␣U+200B port?', answers: ['8080', '9090'] },
    { question: 'Why?', answers: [] },
  ];
  assert.deepEqual(updateToolItem(asked, done, label).questions, answered);
  assert.deepEqual(updateToolItem(undefined, { ...done, rawInput }, label).questions, answered);
});

test('CS-36: a card shows all lines of a plan, with hidden characters made visible', () => {
  const text = Array.from({ length: 40 }, (_, at) => `${at}. Step\u200b`).join('\n');
  const content = [
    {
      ...({ type: 'diff', path: '/d/plan.md', oldText: null, newText: text } as const),
      _meta: { gatehouse: { document: true } },
    },
  ];
  const [diff] = updateToolItem(undefined, { toolCallId: 'c', content }, String).diffs;
  assert.deepEqual([diff?.document, diff?.created, diff?.added], [true, false, 0]);
  assert.equal(diff?.rows.length, 40);
  assert.deepEqual(diff?.rows[39], { sign: ' ', text: '39. Step␣U+200B' });
});

/** A pending request for a change of `/w/a.txt` in a chat, with what its cards show. */
function openProposal({ text, edited }: Pick<FileOnCard, 'text' | 'edited'>) {
  const call = { sessionId: 's', toolCallId: 'c' };
  const file = { change: { call, path: '/w/a.txt', kind: 'edit' }, current: 'a\n', text, edited };
  const clock = new FakeClock();
  const asks = new Asks(clock);
  const changed = new Emitter<{ readonly file: FileOnCard }>();
  const session = new ChatSession({
    ...{ key: 'chat-1', label: (path: string) => path, onChange: () => undefined },
    shared: Object(undefined),
  });
  const content = { type: 'diff', path: '/w/a.txt', oldText: 'a\n', newText: 'b\n' } as const;
  session.call({ toolCallId: 'c', content: [content] });
  const diffs = session.tool('c')?.diffs ?? [];
  followProposals({
    ...{ asks, clock, onDidChangeFile: changed.event },
    chats: { withId: () => session },
    files: (id) => (id === 'ask' ? [file] : []),
  });
  const ask: PermissionAsk = Object({ kind: 'permission', id: 'ask', toolCallId: 'c', diffs });
  const source = { order: 1, agent: 'build' };
  void asks.add({ sessionId: 's', ask, source }, new AbortController().signal);
  const shown = () => {
    const { ask: now } = asks.current ?? {};
    const onCards = [now?.kind === 'permission' ? now.diffs : [], session.tool('c')?.diffs ?? []];
    return onCards.map((all) =>
      all.flatMap(({ rows }) => rows.map((row) => (row.sign === 'gap' ? '' : row.text))).join(),
    );
  };
  const type = (typed: string) => {
    file.text = typed;
    changed.fire({ file });
  };
  return { asks, clock, session, shown, type };
}

test('the cards of a proposal follow what the user makes of it', () => {
  const { clock, shown, type } = openProposal({ text: 'b\n', edited: false });
  assert.deepEqual(shown(), ['a,b', 'a,b']);
  type('m\n');
  type('mine\u200b\n');
  assert.deepEqual(shown(), ['a,b', 'a,b'], 'not with every key');
  clock.tick(CARD_DELAY);
  assert.deepEqual(shown(), ['a,mine␣U+200B', 'a,mine␣U+200B']);
});

test('the cards of a proposal show what was typed before a reload', () => {
  const { shown } = openProposal({ text: 'mine\n', edited: true });
  assert.deepEqual(shown(), ['a,mine', 'a,mine']);
});

test('the card of a denied proposal shows what the agent proposed', () => {
  const { asks, clock, session, shown, type } = openProposal({ text: 'b\n', edited: false });
  const sent = (update: Omit<ToolCallUpdate, 'toolCallId'>) =>
    session.call({ toolCallId: 'c', ...update });
  type('mine\n');
  clock.tick(CARD_DELAY);
  type('mine too\n');
  clock.tick(CARD_DELAY);
  sent({ status: 'in_progress' });
  assert.deepEqual(shown(), ['a,mine too', 'a,mine too']);
  asks.withdraw();
  sent({ status: 'failed' });
  assert.deepEqual(shown(), ['', 'a,b']);
});

test('the card of an allowed proposal keeps what the user made of it', () => {
  const { asks, clock, session, shown, type } = openProposal({ text: 'b\n', edited: false });
  type('mine\n');
  clock.tick(CARD_DELAY);
  asks.withdraw();
  session.call({ toolCallId: 'c', status: 'completed' });
  assert.deepEqual(shown(), ['', 'a,mine']);
});

test('a request that was answered meanwhile is not shown again', () => {
  const { asks, clock, shown, type } = openProposal({ text: 'b\n', edited: false });
  type('mine\n');
  asks.withdraw();
  clock.tick(CARD_DELAY);
  assert.deepEqual([asks.pending, shown()], [[], ['', 'a,b']]);
});
