import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { type Connected, calls, connect, newSession, prompt, temporary, until } from './harness.ts';

/**
 * While the user looks at a proposal, its file is replaced by something else. Nothing that was not
 * approved is written, nothing outside is reached, and what waits in turn mode is not lost silently.
 */
const REVIEWS = { _meta: { gatehouse: { v: 1, review: true, terminal: false } } };
const isRoot = process.geteuid?.() === 0;
const OLD = 'one\ntwo\nthree\n';
const MINE = 'one\nmine\nthree\n';

interface Attack {
  readonly name: string;
  act(file: string, outside: string): void;
  /** What the file must be afterwards. */
  check(file: string, outside: string): void;
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'changed',
    act: (file) => writeFileSync(file, 'other\n'),
    check: (file) => assert.equal(readFileSync(file, 'utf8'), 'other\n'),
  },
  {
    name: 'deleted',
    act: (file) => rmSync(file),
    check: (file) => assert.throws(() => statSync(file), /ENOENT/),
  },
  {
    name: 'renamed',
    act: (file) => renameSync(file, `${file}.moved`),
    check: (file) => {
      assert.throws(() => statSync(file), /ENOENT/);
      assert.equal(readFileSync(`${file}.moved`, 'utf8'), OLD);
    },
  },
  {
    name: 'made read-only',
    act: (file) => chmodSync(file, 0o444),
    // The system lets root write such files.
    check: (file) => assert.equal(readFileSync(file, 'utf8'), isRoot ? MINE : OLD),
  },
  {
    name: 'replaced by a folder',
    act: (file) => {
      rmSync(file);
      mkdirSync(file);
    },
    check: (file) => assert.ok(statSync(file).isDirectory()),
  },
  {
    name: 'replaced by a link to a file outside',
    act: (file, outside) => {
      writeFileSync(outside, OLD);
      rmSync(file);
      symlinkSync(outside, file);
    },
    check: (_, outside) => assert.equal(readFileSync(outside, 'utf8'), OLD),
  },
  {
    name: 'given Windows line ends',
    act: (file) => writeFileSync(file, OLD.replaceAll('\n', '\r\n')),
    check: (file) => assert.equal(readFileSync(file, 'utf8'), OLD.replaceAll('\n', '\r\n')),
  },
  {
    name: 'given another encoding',
    act: (file) => writeFileSync(file, `\ufeff${OLD}`, 'utf16le'),
    check: (file) => assert.equal(readFileSync(file, 'utf16le'), `\ufeff${OLD}`),
  },
];

for (const { name, act, check } of ATTACKS) {
  for (const mode of ['each', 'turn'] as const) {
    test(`${mode}: a file that is ${name} while its review is open keeps what it has`, async (t) => {
      const run = await start(t, mode, act);
      await prompt(run.host, run.sessionId);
      if (mode === 'turn') await until(() => run.asks() >= 1, 'the review');
      await run.settled();
      check(run.file, run.outside);
      const { status, title, content } = run.card();
      if (status === 'completed') assert.ok(isRoot && name === 'made read-only');
      else
        assert.match(
          JSON.stringify(content),
          mode === 'each' ? /a\.txt/ : /a\.txt was not written: /,
        );
      assert.match(title ?? '', mode === 'each' ? /^Edit a\.txt$/ : /^Review a\.txt$/);
    });
  }
}

for (const next of ['each', 'afterwards'] as const) {
  test(`collected edits stay collected when the mode becomes ${next} in the middle of a turn`, async (t) => {
    const data = await temporary(t);
    const configure = (mode: string) =>
      writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ 'review.mode': mode }));
    configure('turn');
    const onDisk: string[] = [];
    const asks: RequestPermissionRequest[] = [];
    const write = (name: string) => ({ tool: 'write', input: { path: name, content: name } });
    let asked = 0;
    const host: Connected = await connect(t, {
      data,
      script: () => {
        asked += 1;
        if (asked === 2) configure(next);
        const names = ['a.txt', 'b.txt'];
        const name = names[asked - 1];
        onDisk.push(...names.filter((each) => existsSync(path.join(host.workspace, each))));
        return name === undefined ? { text: 'Done.' } : { calls: [write(name)] };
      },
      client: {
        capabilities: { _meta: { gatehouse: { v: 1, review: true, unreviewed: true } } },
        permission: (request) => {
          asks.push(request);
          return { outcome: { outcome: 'selected', optionId: 'allow' } };
        },
      },
    });
    await prompt(host, await newSession(host));
    const isWritten = (name: string) => existsSync(path.join(host.workspace, name));
    await until(() => isWritten('a.txt') && isWritten('b.txt'), 'both files');
    assert.deepEqual(onDisk, []);
    assert.deepEqual(
      asks.map(({ toolCall }) => toolCall.locations?.map(({ path: file }) => path.basename(file))),
      [['a.txt', 'b.txt']],
    );
  });
}

async function start(t: TestContext, mode: 'each' | 'turn', act: Attack['act']) {
  const data = await temporary(t);
  const outside = path.join(await temporary(t), 'outside.txt');
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ 'review.mode': mode }));
  const asks: RequestPermissionRequest[] = [];
  const host: Connected = await connect(t, {
    data,
    script: [
      {
        calls: [{ tool: 'edit', input: { path: 'a.txt', old_string: 'two', new_string: 'agent' } }],
      },
      { text: 'Done.' },
    ],
    client: {
      capabilities: REVIEWS,
      permission: (request) => {
        asks.push(request);
        // The user approves once; what is asked again is put off.
        if (asks.length > 1) return { outcome: { outcome: 'cancelled' } };
        act(file, outside);
        return {
          outcome: { outcome: 'selected', optionId: 'allow' },
          _meta: { gatehouse: { approved: [{ path: file, text: MINE }] } },
        };
      },
    },
  });
  const file = path.join(host.workspace, 'a.txt');
  writeFileSync(file, OLD);
  const ends = () =>
    calls(host).filter(
      ({ toolCallId, status }) =>
        (status === 'completed' || status === 'failed') &&
        (mode === 'each' || toolCallId.startsWith('rev_')),
    );
  return {
    ...{ host, file, outside },
    sessionId: await newSession(host),
    asks: () => asks.length,
    /** The call or, in turn mode, the review has an outcome. */
    settled: () => until(() => ends().length > 0, 'the outcome'),
    card: () => ends()[0] ?? assert.fail('no card'),
  };
}
