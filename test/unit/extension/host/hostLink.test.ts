import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { ANSWER_MS } from '../../../../src/extension/host/hostLink.ts';
import { createExtensionSide } from '../extensionSide.ts';
import { settle } from '../fakeClock.ts';
import { start } from '../inProcessHost.ts';

/** A host that reads nothing and says nothing. */
const launch = () => ({ stdin: new PassThrough(), stdout: new PassThrough(), pid: 1 });

test('PR-016: a host that never answers initialize is ended after 30 s, with an error, and another one is started', async () => {
  const { link, clock, running } = createExtensionSide({ launch });
  const failed = assert.rejects(link.connection(), /did not answer for 30 s, so it was ended/);
  clock.tick(ANSWER_MS - 1);
  await settle();
  assert.equal(running.ended, 0);
  clock.tick(1);
  await failed;
  assert.equal(running.ended, 1);
  running.host = false;
  link.hostExited({ code: null, signal: 'SIGTERM', stderrTail: '', restartIn: 250 });
  const again = assert.rejects(link.connection(), /did not answer/);
  assert.equal(running.host, true);
  clock.tick(ANSWER_MS);
  await again;
});

test('a host that answers leaves no timer behind', async () => {
  const { link, clock } = start();
  await link.connection();
  assert.equal(clock.waiting, 0);
});
