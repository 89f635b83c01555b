import { readSync, writeSync } from 'node:fs';
import { type Entry, FoldingTree } from './tree.ts';

/**
 * Serves a file system in memory that ignores case, as a drive of Windows in WSL does, through `/dev/fuse`,
 * which is open as descriptor 3. Its argument is the tree as JSON: texts of files by path. Files can't be written.
 */
const FUSE = 3;
const tree = new FoldingTree(JSON.parse(process.argv[2] ?? '{}'));
const buffer = Buffer.alloc(1024 * 1024);

const [ENOENT, ENOSYS, EROFS] = [2, 38, 30];
const OK = Buffer.alloc(0);

/** By the number of the request: what is returned, or the error. */
const ANSWERS: Readonly<
  Record<number, (node: Entry | undefined, body: Buffer) => Buffer | number>
> = {
  1: (node, body) => toEntry(node && tree.find(node, body.toString('utf8', 0, body.indexOf(0)))),
  3: (node) =>
    node === undefined ? ENOENT : Buffer.concat([Buffer.alloc(16), toAttributes(node)]),
  14: () => Buffer.alloc(16),
  15: (node, body) => toPart(Buffer.from(node?.text ?? ''), body),
  17: () => Buffer.alloc(80),
  18: () => OK,
  25: () => OK,
  26: () => toInit(),
  27: () => Buffer.alloc(16),
  28: (node, body) => toListing(node, body),
  29: () => OK,
};
/** Those that create or change something. */
const WRITES: ReadonlySet<number> = new Set([4, 6, 8, 9, 10, 11, 12, 13, 16, 35, 45]);
const WITHOUT_ANSWER: ReadonlySet<number> = new Set([2, 36, 42]);

for (;;) {
  let length: number;
  try {
    length = readSync(FUSE, buffer, 0, buffer.length, null);
  } catch {
    // It was unmounted.
    break;
  }
  const [opcode, id] = [buffer.readUInt32LE(4), buffer.readBigUInt64LE(8)];
  if (WITHOUT_ANSWER.has(opcode)) continue;
  const answer = ANSWERS[opcode];
  const node = tree.byId(Number(buffer.readBigUInt64LE(16)));
  const body = Buffer.from(buffer.subarray(40, length));
  send(id, answer?.(node, body) ?? (WRITES.has(opcode) ? EROFS : ENOSYS));
}

function send(id: bigint, answer: Buffer | number): void {
  const head = Buffer.alloc(16);
  const data = typeof answer === 'number' ? OK : answer;
  head.writeUInt32LE(16 + data.length, 0);
  head.writeInt32LE(typeof answer === 'number' ? -answer : 0, 4);
  head.writeBigUInt64LE(id, 8);
  try {
    writeSync(FUSE, Buffer.concat([head, data]));
  } catch {
    // The request was interrupted.
  }
}

function toInit(): Buffer {
  const init = Buffer.alloc(64);
  for (const [at, value] of [7, 31, 131_072, 0].entries()) init.writeUInt32LE(value, 4 * at);
  init.writeUInt32LE(131_072, 20);
  return init;
}

function toEntry(node: Entry | undefined): Buffer | number {
  if (node === undefined) return ENOENT;
  const head = Buffer.alloc(40);
  head.writeBigUInt64LE(BigInt(node.id), 0);
  return Buffer.concat([head, toAttributes(node)]);
}

function toAttributes(node: Entry): Buffer {
  const attributes = Buffer.alloc(88);
  attributes.writeBigUInt64LE(BigInt(node.id), 0);
  attributes.writeBigUInt64LE(BigInt(Buffer.byteLength(node.text ?? '')), 8);
  attributes.writeUInt32LE(node.text === undefined ? 0o40755 : 0o100644, 60);
  attributes.writeUInt32LE(node.text === undefined ? 2 : 1, 64);
  return attributes;
}

function toPart(bytes: Buffer, body: Buffer): Buffer {
  const from = Number(body.readBigUInt64LE(8));
  return bytes.subarray(from, from + body.readUInt32LE(16));
}

function toListing(node: Entry | undefined, body: Buffer): Buffer {
  const from = Number(body.readBigUInt64LE(8));
  const entries = [...(node?.children.values() ?? [])].slice(from);
  const parts = entries.map((entry, at) => {
    const name = Buffer.from(entry.name);
    const part = Buffer.alloc(24 + Math.ceil(name.length / 8) * 8);
    part.writeBigUInt64LE(BigInt(entry.id), 0);
    part.writeBigUInt64LE(BigInt(from + at + 1), 8);
    part.writeUInt32LE(name.length, 16);
    part.writeUInt32LE(entry.text === undefined ? 4 : 8, 20);
    name.copy(part, 24);
    return part;
  });
  return Buffer.concat(parts);
}
