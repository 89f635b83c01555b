import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { AttachedContents } from '../../../../src/extension/context/contents.ts';
import type { ChipContent } from '../../../../src/extension/context/lookUp.ts';
import { Readings } from '../../../../src/extension/context/readings.ts';
import type { Chip, ReadResult } from '../../../../src/webview/messages/attached.ts';
import { english } from '../english.ts';

const FILE: ChipContent = {
  chip: { kind: 'file', label: 'a.ts' },
  content: { type: 'resource_link', uri: 'file:///work/a.ts', name: 'a.ts' },
};

async function open(t: TestContext) {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const contents = new AttachedContents(path.join(folder, 'attached'));
  const added: [readonly Chip[], string | undefined][] = [];
  const answers: [string, ReadResult][] = [];
  const view = {
    addToMessage: (chips: readonly Chip[], text?: string) => added.push([chips, text]),
    attached: (request: string, result: ReadResult) => answers.push([request, result]),
  };
  return { contents, view, added, answers, readings: new Readings(contents, english) };
}

test('a command adds chips before it reads, and answers each of them', async (t) => {
  const { contents, view, added, answers, readings } = await open(t);
  const slow = Promise.withResolvers<ChipContent>();
  const { chip } = FILE;
  const done = readings.add(
    view,
    [
      { chip, read: () => slow.promise },
      {
        chip: { kind: 'folder', label: 'gone' },
        read: () => Promise.reject(new Error('No such folder.')),
      },
      { chip: { kind: 'changes', label: 'Git changes' }, read: async () => undefined },
    ],
    'Explain.',
  );
  const [[chips = [], text] = []] = added;
  assert.deepEqual(
    chips.map(({ id: _, ...shown }) => shown),
    [
      { kind: 'file', label: 'a.ts', reading: true },
      { kind: 'folder', label: 'gone', reading: true },
      { kind: 'changes', label: 'Git changes', reading: true },
    ],
  );
  assert.equal(text, 'Explain.');
  assert.equal(
    answers.some(([request]) => request === chips[0]?.id),
    false,
  );

  slow.resolve(FILE);
  await done;
  const result = (at: number) => answers.find(([request]) => request === chips[at]?.id)?.[1];
  assert.deepEqual(result(1), { fault: 'No such folder.' });
  assert.deepEqual(result(2), { fault: 'There is nothing to attach.' });
  const first = result(0);
  assert.ok(first && 'attached' in first);
  assert.deepEqual(await contents.get(first.attached.id), FILE.content);
  assert.equal(answers.length, 3);
});

test('a content that the agent does not accept is a fault of its chip', async (t) => {
  const { view, answers, readings } = await open(t);
  const content = { type: 'image', mimeType: 'image/tiff', data: 'AAAA' } as const;
  await readings.answer(view, 'r1', async () => ({ chip: { kind: 'image', label: 'a' }, content }));
  const [[request, result] = []] = answers;
  assert.equal(request, 'r1');
  assert.ok(result && 'fault' in result && result.fault.length > 0);
});

test('of the chips that an earlier page has left, those that nobody reads have a fault', async (t) => {
  const { view, answers, readings } = await open(t);
  const slow = Promise.withResolvers<ChipContent>();
  const done = readings.answer(view, 'running', () => slow.promise);
  readings.answerLost(view, ['lost', 'running']);
  assert.deepEqual(
    answers.map(([request]) => request),
    ['lost'],
  );
  slow.resolve(FILE);
  await done;
  assert.deepEqual(
    answers.map(([request, result]) => [request, 'attached' in result]),
    [
      ['lost', false],
      ['running', true],
    ],
  );
  // Answered already: the page has it.
  readings.answerLost(view, ['running']);
  assert.equal(answers.length, 3);
});
