import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { checkLines, type Wire } from '../unit/acp/validate.ts';
import { TRACES } from '../workbench/paths.ts';
import { until } from '../workbench/processes.ts';
import { answerInPick } from './pick.ts';
import { allHosts, closeScene, openScene } from './scene.ts';

// It runs when all other files have ended: their traces are checked with its own.
test('every raw line of every turn is as the protocol wants it', async (t) => {
  const scene = await openScene(t);
  const { chat, model } = scene;
  model.script(
    { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'a' } }] },
    { text: 'That was a whole turn.' },
  );
  await chat.send('one turn');
  await answerInPick(scene, 'Allow Once');
  await chat.said('That was a whole turn.');
  await closeScene();
  // Who still writes has not written its last line yet.
  await until('the end of every host', () => allHosts(scene).length === 0);

  let checked = 0;
  // The host writes its decisions beside the protocol's trace.
  const traces = readdirSync(TRACES).filter((name) => name.startsWith('host-'));
  const faults = traces.flatMap((name) => {
    const lines = readTrace(path.join(TRACES, name));
    checked += lines.length;
    return checkLines(lines).map((fault) => `${name}: ${fault}`);
  });
  assert.deepEqual([...new Set(faults)], []);
  assert.ok(checked > 10, `${checked} lines`);
});

function readTrace(file: string) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const message: Wire = JSON.parse(line.slice(2));
      return { from: line.startsWith('>') ? ('agent' as const) : ('client' as const), message };
    });
}
