import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect, newSession, prompt, temporary, until } from './harness.ts';

const REVIEWS = { _meta: { gatehouse: { v: 1, review: true, terminal: false } } };

/** A session whose turn wrote `a.txt` in turn mode; its review was put off. */
async function start(t: TestContext) {
  const data = await temporary(t);
  const configure = (more: object) => {
    const text = JSON.stringify({ 'review.mode': 'turn', ...more });
    writeFileSync(path.join(data, 'settings.json'), text);
  };
  configure({});
  let asked = 0;
  let answered = 0;
  const host = await connect(t, {
    data,
    script: [
      { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'agent' } }] },
      { text: 'Done.' },
    ],
    client: {
      capabilities: REVIEWS,
      permission: async (_, signal) => {
        asked += 1;
        if (asked > 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        answered += 1;
        return { outcome: { outcome: 'cancelled' } };
      },
    },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  await until(() => answered === 1, 'the review was put off');
  return {
    ...{ configure, host, file: path.join(host.workspace, 'a.txt') },
    asked: () => asked,
    review: () => host.agent.request('_gatehouse/review', { sessionId }),
  };
}

test('a review on demand names the files that the user is asked about', async (t) => {
  const { review, file, asked } = await start(t);
  assert.deepEqual(await review(), { files: [file], dropped: [] });
  await until(() => asked() === 2, 'the user is asked');
  // It is pending, so it is not asked about again.
  assert.deepEqual(await review(), { files: [file], dropped: [] });
  assert.equal(asked(), 2);
});

test('a review on demand says which files a rule denies by now', async (t) => {
  const { review, file, asked, configure } = await start(t);
  configure({ permissions: [{ permission: 'write', pattern: '**', action: 'deny' }] });
  const { files, dropped } = Object(await review());
  assert.deepEqual(files, []);
  assert.deepEqual(
    dropped.map((each: { path: string }) => each.path),
    [file],
  );
  assert.match(dropped[0].why, /^The rule `write \*\*` denies /);
  assert.equal(asked(), 1);
  assert.equal(existsSync(file), false);
  assert.deepEqual(await review(), { files: [], dropped: [] });
});

test('a review on demand ends when the user has made the same change', async (t) => {
  const { review, file, asked } = await start(t);
  writeFileSync(file, 'agent');
  assert.deepEqual(await review(), { files: [], dropped: [] });
  assert.equal(asked(), 1);
});
