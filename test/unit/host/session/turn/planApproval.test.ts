import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOver } from 'node:timers/promises';
import type { HostServices } from '../../../../../src/host/services/hostServices.ts';
import { createPlanApproval } from '../../../../../src/host/session/turn/planApproval.ts';

test('choices that fail while the planning turn still runs are told when it has ended, and end nothing', async (t) => {
  const warned: string[] = [];
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  const turn = Promise.withResolvers<void>();
  const services = {
    data: { user: '/data' },
    client: { update: async () => undefined },
    recorder: { free: async () => undefined, setApprovedPlan: () => undefined },
    warn: (text: string) => warned.push(text),
  } as unknown as HostServices;
  const approval = createPlanApproval(services, {
    id: 'ses_1',
    idle: () => turn.promise,
    choices: () => Promise.reject(new Error('The history is locked.')),
  });
  await approval.approve('call_1', new AbortController().signal);
  await turnOver();
  assert.deepEqual(unhandled, []);
  turn.resolve();
  await turnOver();
  assert.deepEqual(warned, ['The history is locked.']);
});
