// Calls through `gatehouse call` on a disk without room: node diskFullCalls.ts FULL ROOMY fill|limit
// FULL has little room (fill: this takes the rest of it) or the process may only write small files.
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Envelope } from '../../../src/base/stream/envelope.ts';
import { recoverJournal } from '../../../src/runtime/files/journal.ts';
import { ALLOW_ALL, gatehouseCall } from './bed.ts';
import { openSession } from './session.ts';

/** What one call said, and what lies there afterwards. */
export interface FullDiskResult {
  readonly name: string;
  /** Where the workspace was. */
  readonly place: 'full' | 'roomy';
  readonly envelope: Envelope;
  /** Files of the workspace with their sizes, and those in the journal and of the session. */
  readonly workspace: Readonly<Record<string, number>>;
  readonly state: readonly string[];
  /** Whether every file that was there has its old content. */
  readonly whole: boolean;
}

const OLD = 'old line\n'.repeat(1400);
const LONG = 'a new line, rather longer than before\n'.repeat(3000);
const [full = '', roomy = '', way = ''] = process.argv.slice(2);
const results: FullDiskResult[] = [];

// `big` was made before: where small files alone may be written, this process could not.
const work = { full: path.join(full, 'work'), roomy: path.join(roomy, 'work') };
const data = { full: path.join(full, 'data'), roomy: path.join(roomy, 'data') };
for (const folder of [...Object.values(work), ...Object.values(data)]) {
  mkdirSync(folder, { recursive: true });
}
const big = readFileSync(path.join(work.roomy, 'big'), 'utf8');
linkSync(path.join(work.roomy, 'big'), path.join(work.roomy, 'big2'));
writeFileSync(path.join(work.roomy, 'single'), OLD);
for (let n = 0; n < 1001; n += 1)
  writeFileSync(path.join(work.roomy, `one-of-many-names-${n}.list`), '');
for (const name of ['single', 'linked']) writeFileSync(path.join(work.full, name), OLD);
linkSync(path.join(work.full, 'linked'), path.join(work.full, 'linked2'));
// The folders of the journal and of the sessions are there before the disk is full.
for (const each of Object.values(data))
  mkdirSync(path.join(each, 'state/journal'), { recursive: true });
mkdirSync(path.join(data.full, 'state/sessions'), { recursive: true });
if (way === 'fill') takeTheRest(path.join(full, 'filler'));

await call('a new file', 'full', 'roomy', 'write', { path: 'new/file', content: LONG });
await call('write', 'full', 'roomy', 'write', { path: 'single', content: LONG });
const edit = { old_string: 'old line\n', new_string: LONG, replace_all: false };
await call('edit', 'full', 'roomy', 'edit', { ...edit, path: 'single', old_string: OLD });
await call('linked', 'full', 'roomy', 'edit', { ...edit, path: 'linked', old_string: OLD });
const swap = { old_string: 'x', new_string: 'y', replace_all: true };
await call('journal copy', 'roomy', 'full', 'edit', { ...swap, path: 'big' });
await call('journal note', 'roomy', 'full', 'write', {
  path: 'single',
  content: OLD.toUpperCase(),
});
await call('bash sidecar', 'roomy', 'full', 'bash', {
  command: "head -c 3000000 /dev/zero | tr '\\0' z; echo end >&2",
});
await call('glob sidecar', 'roomy', 'full', 'glob', { pattern: '*.list' });
await callInSession('sidecar of a session', 'bash', {
  command: "head -c 3000000 /dev/zero | tr '\\0' z",
});
rmSync(path.join(full, 'filler'), { force: true });
await call('with room again', 'full', 'full', 'write', { path: 'single', content: 'short\n' });
process.stdout.write(JSON.stringify(results));

async function call(
  name: string,
  place: keyof typeof work,
  state: keyof typeof data,
  tool: string,
  input: unknown,
): Promise<void> {
  const workspace = work[place];
  const bed = { root: roomy, outside: roomy, workspace, data: data[state], [Symbol.dispose]() {} };
  const { envelope } = await gatehouseCall(bed, tool, input, { rules: ALLOW_ALL });
  note(name, place, state, envelope);
  await recoverJournal(path.join(data[state], 'state'));
}

/** A session that goes on: what it keeps is there after the call. */
async function callInSession(name: string, tool: string, input: unknown): Promise<void> {
  const bed = { root: roomy, outside: roomy, workspace: work.roomy, data: data.full };
  await using session = openSession({ ...bed, [Symbol.dispose]() {} }, { rules: ALLOW_ALL });
  note(name, 'roomy', 'full', await session.call(tool, input));
}

function note(
  name: string,
  place: keyof typeof work,
  state: keyof typeof data,
  envelope: Envelope,
): void {
  const folder = path.join(data[state], 'state');
  const files = list(folder).filter((each) => statSync(path.join(folder, each)).isFile());
  const workspace = sizes(work[place]);
  results.push({ name, place, envelope, workspace, state: files, whole: contents(place) });
}

function contents(place: keyof typeof work): boolean {
  const read = (name: string) => readFileSync(path.join(work[place], name), 'utf8');
  if (place === 'roomy') return read('big') === big && read('big2') === big;
  return ['single', 'linked', 'linked2'].every((name) => read(name) === OLD);
}

function sizes(folder: string): Record<string, number> {
  const names = list(folder).filter((name) => !name.endsWith('.list'));
  return Object.fromEntries(names.map((name) => [name, sizeOf(path.join(folder, name))]));
}

function sizeOf(file: string): number {
  const stats = statSync(file);
  return stats.isFile() ? stats.size : 0;
}

function list(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

function takeTheRest(file: string): void {
  const fd = openSync(file, 'w');
  try {
    for (let size = 65_536; size >= 1; ) size = fits(fd, size) ? size : Math.floor(size / 2);
  } finally {
    closeSync(fd);
  }
}

function fits(fd: number, size: number): boolean {
  try {
    return writeSync(fd, Buffer.alloc(size, 1)) > 0;
  } catch (fault) {
    if (Reflect.get(Object(fault), 'code') === 'ENOSPC') return false;
    throw fault;
  }
}
