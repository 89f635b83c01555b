import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, test } from 'node:test';
import { failure } from '../../../../src/base/outcome.ts';
import { loadCases } from '../../permissions/corpus.ts';
import { openSandboxBed } from './bed.ts';

/** Cases that name a condition instead of a command: what stands in for their `true`. */
const CONDITIONS: Readonly<Record<string, 'refusing proxy' | 'no bwrap'>> = {
  'SB-021': 'refusing proxy',
  'SB-022': 'refusing proxy',
  'SB-023': 'refusing proxy',
  'SB-034': 'no bwrap',
};

const SECRET = 'corpus-secret';
const hits: string[] = [];
const server = createServer((asked, answer) => {
  hits.push(asked.url ?? '');
  answer.end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const bed = await openSandboxBed({ PROVIDER_KEY: SECRET, MODEL: SECRET });
mkdirSync(path.join(bed.workspace, '.git/hooks'), { recursive: true });
writeFileSync(path.join(bed.workspace, '.git/config'), '[core]\n');
writeFileSync(path.join(bed.outside, 'secret'), SECRET);
after(async () => {
  server.close();
  await bed[Symbol.asyncDispose]();
});

for (const { id, input } of loadCases('sandbox')) {
  test(`${id} is contained`, async () => {
    // A corpus command may end every process that it can reach.
    assert.deepEqual(bed.sandbox.state, { proven: true });
    if (CONDITIONS[id] === 'no bwrap') return checkMissing(String(input['command']));
    const command = fill(String(input['command']));
    const before = [snapshot(bed.workspace), snapshot(bed.outside)];
    const held = await bed.hold();
    const options = CONDITIONS[id] === undefined ? { masks: [] } : { masks: [], egress: REFUSING };
    const ran = await bed.run(held.start(options), `${command}\n${attempts()}`);
    await held.drop(await changesOf(held));
    held.release();
    assert.doesNotMatch(ran.output, new RegExp(`${SECRET}|GOT OUT`));
    assert.deepEqual([snapshot(bed.workspace), snapshot(bed.outside)], before);
    assert.deepEqual(hits, []);
    assert.equal(spawnSync('pgrep', ['-f', `^sleep 300.${process.pid}`]).status, 1);
  });
}

const REFUSING = {
  authorize: async () => failure('No host is allowed.'),
  authorizeAddress: async () => failure('No address is allowed.'),
};

/** Waits are a tenth as long; the rest is the corpus's own. */
function fill(command: string): string {
  return command
    .replaceAll('{outside}', bed.outside)
    .replaceAll('{project-rules-file}', '.vscode/settings.json')
    .replaceAll('{sandbox-settings-file}', '.vscode/settings.json')
    .replaceAll('sleep 300', `sleep 300.${process.pid}`)
    .replaceAll(/sleep (\d)\b(?!\d)/g, 'sleep 0.$1');
}

/** After each case: the host's own loopback, and files outside. */
function attempts(): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `exec 3<>/dev/tcp/127.0.0.1/${port} && echo GOT OUT; echo x >${bed.outside}/w && echo GOT OUT`;
}

async function changesOf(held: Awaited<ReturnType<typeof bed.hold>>) {
  const changes = await held.changes(new AbortController().signal);
  assert.ok(changes.ok);
  return [...changes.data.files, ...changes.data.git];
}

async function checkMissing(command: string): Promise<void> {
  await using without = await openSandboxBed({ GATEHOUSE_BWRAP: '/nowhere/bwrap' });
  const held = await without.hold();
  await assert.rejects(without.run(held.start({ masks: [] }), command), /bwrap/);
}

function snapshot(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return `${file} ${entry.isFile() ? readFileSync(file, 'utf8') : 'no file'}`;
    })
    .sort();
}
