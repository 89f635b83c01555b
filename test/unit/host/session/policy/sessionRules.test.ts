import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { parseJson } from '../../../../../src/base/json.ts';
import { connect, newSession, prompt, temporary } from '../../harness.ts';

/** Runs SQL on the stored session; returns its rules. */
function storedRules(data: string, sessionId: string, set?: string): unknown {
  const database = new DatabaseSync(path.join(data, 'state', 'gatehouse.db'));
  try {
    const update = 'UPDATE chat_sessions SET permissions_json = ? WHERE id = ?';
    if (set !== undefined) database.prepare(update).run(set, sessionId);
    const get = 'SELECT permissions_json AS rules FROM chat_sessions WHERE id = ?';
    return parseJson(String(database.prepare(get).get(sessionId)?.['rules']));
  } finally {
    database.close();
  }
}

interface Bed {
  readonly data: string;
  readonly workspace: string;
}

/** A host whose model runs the same command in each turn; its user answers each ask with "always". */
async function open(t: TestContext, bed: Bed, first: number) {
  const turn = (index: number) => [
    { calls: [{ tool: 'bash', input: { command: 'touch again' }, id: `c${first + index}` }] },
    { text: 'Done.' },
  ];
  const asked: string[] = [];
  const host = await connect(t, {
    ...bed,
    script: [0, 1].flatMap(turn),
    client: {
      permission({ options, toolCall }) {
        asked.push(toolCall.toolCallId);
        const always = options.find(({ kind }) => kind === 'allow_always');
        return { outcome: { outcome: 'selected', optionId: always?.optionId ?? '' } };
      },
    },
  });
  const load = (sessionId: string) =>
    host.agent.request('session/load', { sessionId, cwd: bed.workspace, mcpServers: [] });
  return { host, asked, load };
}

test('the rules of a session lie in its row, hold after a restart, and are of no other session', async (t) => {
  const bed = { data: await temporary(t), workspace: await temporary(t) };
  const first = await open(t, bed, 0);
  const sessionId = await newSession(first.host);
  await prompt(first.host, sessionId);
  await prompt(first.host, sessionId);
  assert.deepEqual(first.asked, ['c0']);
  await first.host.stop();
  const stored = Object(storedRules(bed.data, sessionId))[0];
  assert.deepEqual(
    [stored.permission, stored.pattern, stored.action, stored.source],
    ['bash', 'touch again', 'allow', 'session'],
  );

  const second = await open(t, bed, 2);
  await second.load(sessionId);
  await prompt(second.host, sessionId);
  await prompt(second.host, await newSession(second.host));
  assert.deepEqual(second.asked, ['c3']);
  await second.host.stop();

  for (const [index, damaged] of ['{', '[{"permission":"bash"}]'].entries()) {
    storedRules(bed.data, sessionId, damaged);
    const third = await open(t, bed, 4 + 2 * index);
    await third.load(sessionId);
    await prompt(third.host, sessionId);
    assert.equal(third.asked.length, 1, damaged);
    await third.host.stop();
  }
});
