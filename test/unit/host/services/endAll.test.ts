import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endAll } from '../../../../src/host/services/endAll.ts';

test('what cannot be ended with the host keeps nothing else from ending, and is told', async () => {
  const ended: string[] = [];
  const warnings: string[] = [];
  const lazy = (name: string) => ({
    opened: async () => ({
      dispose: async () => {
        if (name === 'bad') throw new Error('It hangs.');
        ended.push(name);
      },
    }),
  });
  const unopened = { opened: () => Promise.reject(new Error('It never opened.')) };
  await endAll([lazy('bad'), unopened, lazy('runtimes'), lazy('copies')], (warning) => {
    warnings.push(warning);
  });
  assert.deepEqual(ended, ['runtimes', 'copies']);
  assert.deepEqual(warnings, [
    'Not everything was ended: It hangs.',
    'Not everything was ended: It never opened.',
  ]);
});
