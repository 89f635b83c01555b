import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from '../../../../src/base/fill.ts';
import { toPlainTranscript } from '../../../../src/extension/text/plainTranscript.ts';
import { toolItem } from '../../../browser/chatState.ts';

test('a session is read as plain text', () => {
  const text = toPlainTranscript(
    {
      title: 'Fix the test',
      items: [
        { kind: 'user', id: 'u', text: 'fix it', done: true },
        { kind: 'thought', id: 't', text: 'Hm.', done: true },
        toolItem('c', { title: 'Run tests', command: 'npm test', status: 'failed', output: 'red' }),
        toolItem('e', {
          ...{ title: 'Edit a.ts', toolKind: 'edit', output: '' },
          diffs: [
            {
              path: '/a.ts',
              label: 'a.ts',
              added: 2,
              removed: 1,
              created: false,
              rows: [],
              more: 0,
            },
          ],
        }),
        { kind: 'agent', id: 'a', text: 'Done.\n\n- one', done: true },
        { kind: 'note', id: 'n', text: 'A note.' },
        { kind: 'error', id: 'x', text: 'It broke.', detail: 'why', retry: true, commands: [] },
      ],
      asks: [{ kind: 'question', id: 'q', message: 'Which?', fields: [], since: 0 }],
    },
    (each, ...values) => fill(each, ...values.map(String)),
  );
  assert.equal(
    text,
    [
      'Fix the test',
      'You:\nfix it',
      'Reasoning:\nHm.',
      'Run tests (failed)\nnpm test\nred',
      'Edit a.ts (done)\na.ts +2 −1',
      'Gatehouse:\nDone.\n\n- one',
      'A note.',
      'Error: It broke.\nwhy',
      'Question: Which?\n',
    ].join('\n\n'),
  );
});
