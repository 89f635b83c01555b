import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { explainLine } from '../../../src/host/cli/explainLine.ts';
import {
  parseWatchdogAnswer,
  stricterAnswer,
  type WatchdogAnswer,
} from '../../../src/permissions/evaluate/watchdog.ts';
import { parseRules } from '../../../src/permissions/rules/parseRules.ts';
import { UNREADABLE } from '../../../src/permissions/rules/policy.ts';
import { cpuTime } from '../cpuTime.ts';
import { evaluate } from './ask.ts';
import { type CorpusCase, loadCases, makeStage, toLine } from './corpus.ts';

/** Cases whose fixture is a watchdog, or a session's child, cannot be a line of `explain`. */
const carriesWatchdog = (each: CorpusCase) => typeof each.setup?.['watchdog'] === 'string';
const LATER = 'RU-027';

for (const area of ['shell', 'rules']) {
  for (const each of loadCases(area)) {
    if (each.id === LATER || (carriesWatchdog(each) && each.expect !== 'refuse')) continue;
    for (const platform of each.platform ?? [undefined]) {
      test(`${each.id} through explain${platform === undefined ? '' : ` on ${platform}`}`, () =>
        explainCase(each, platform));
    }
  }
}

async function explainCase(each: CorpusCase, platform: string | undefined): Promise<void> {
  const stage = makeStage(each.setup);
  try {
    const line = JSON.parse(toLine(each, stage));
    const text = JSON.stringify({ ...line, ...(platform !== undefined && { platform }) });
    const warm = await explainLine(text, { scratch: '/nonexistent' });
    const allowed = [each.expect, ...(each.also_ok ?? [])];
    assert.ok(allowed.includes(warm.decision), `${warm.decision}: ${warm.reason}`);
    const { limit_ms: limit } = each;
    if (limit === undefined) return;
    // The first call loads what the later ones share.
    const took = await cpuTime(() => explainLine(text, { scratch: '/nonexistent' }));
    assert.ok(took < limit, `${took} ms`);
  } finally {
    stage.dispose();
  }
}

/** What a watchdog of the corpus does. */
const WATCHDOGS: Readonly<Record<string, () => unknown>> = {
  allow: () => ({ verdict: 'allow' }),
  ask: () => ({ verdict: 'ask', reason: 'look' }),
  'deny:exfil': () => ({ verdict: 'deny', reason: 'exfil' }),
  'returns-undefined': () => undefined,
  throws: () => {
    throw new Error('broken');
  },
};

for (const each of loadCases('rules').filter(carriesWatchdog)) {
  test(`${each.id} with its watchdog`, async () => {
    const { rules } = parseRules(
      (each.rules ?? []).map(({ scope, ...rule }) => ({ ...rule, source: scope })),
    );
    const command = String(each.input['command'] ?? '');
    const path = String(each.input['path'] ?? '');
    const reads = each.tool === 'read';
    const decision = await evaluate(
      {
        tool: each.tool,
        input: each.input,
        subjects: reads
          ? [{ permission: 'read', capability: 'fs.read', target: path, match: 'path' }]
          : [{ permission: 'bash', capability: 'shell.run', target: command, match: 'command' }],
      },
      {
        rules,
        folders: { workspace: ['/tmp'], adHoc: [], cwd: '/tmp' },
        shell: 'bash',
        platform: 'linux',
        headless: each.headless === true,
        readGit: UNREADABLE,
        ...(reads && { capabilities: { fs: { read: ['{workspace}/**'] } } }),
      },
    );
    let asked = 0;
    const watch = (): WatchdogAnswer => {
      asked += 1;
      try {
        return parseWatchdogAnswer(WATCHDOGS[String(each.setup?.['watchdog'])]?.());
      } catch {
        return parseWatchdogAnswer(undefined);
      }
    };
    const own: WatchdogAnswer | 'refuse' =
      decision.decision === 'refuse'
        ? 'refuse'
        : { action: decision.decision, reason: decision.reason };
    const joined = own === 'refuse' ? own : stricterAnswer(own, watch()).action;
    const expected = each.headless === true && joined === 'ask' ? 'deny' : joined;
    assert.equal(expected, each.expect);
    assert.equal(asked, each.expect === 'refuse' ? 0 : 1);
  });
}

test('explain as a process answers each line by its id, a bad one too', () => {
  const ids = ['SH-001', 'SH-024', 'SH-089', 'RU-003', 'RU-040'];
  const cases = [...loadCases('shell'), ...loadCases('rules')].filter(({ id }) => ids.includes(id));
  const stage = makeStage();
  const main = fileURLToPath(new URL('../../../src/host/cli/main.ts', import.meta.url));
  const lines = [
    ...cases.map((each) => toLine(each, stage)),
    '{bad',
    '[]',
    '{"id":7,"tool":"read","input":{}}',
  ];
  const { stdout, status } = spawnSync(process.execPath, [main, 'explain'], {
    input: lines.join('\n'),
    encoding: 'utf8',
  });
  stage.dispose();
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(status, 0);
  assert.deepEqual(
    answers.map(({ id, decision }) => [id, decision]),
    [
      ...cases.map(({ id, expect }) => [id, expect]),
      [null, 'error'],
      [null, 'error'],
      [7, 'error'],
    ],
  );
});
