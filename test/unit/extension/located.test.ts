import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ClientMethodParts,
  createClientMethods,
} from '../../../src/extension/clientMethods.ts';

/** Only what an update of a call uses. */
function follow(statuses: readonly (string | undefined)[]): readonly string[] {
  const located: string[] = [];
  const session = { update: () => undefined, busy: true, watched: true };
  const parts = {
    chats: () => ({ withId: () => session }),
    reviews: { callEnded: async () => undefined },
    located: (path: string) => void located.push(path),
  };
  const methods = createClientMethods(parts as unknown as ClientMethodParts);
  for (const status of statuses) {
    methods.sessionUpdate({
      sessionId: 's',
      update: {
        ...{ sessionUpdate: 'tool_call_update', toolCallId: 'c' },
        ...(status !== undefined && { status: status as 'failed' }),
        locations: [{ path: `/file/${status}` }],
      },
    });
  }
  return located;
}

test('Follow Agent opens the file of a call that runs, and of none that waits or was refused', () => {
  assert.deepEqual(follow([undefined, 'pending', 'failed']), []);
  assert.deepEqual(follow(['pending', 'in_progress', 'completed']), [
    '/file/in_progress',
    '/file/completed',
  ]);
});
