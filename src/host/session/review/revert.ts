import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { FILE_CHANGERS } from '../../../base/tools/toolFacts.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import { mergeTexts } from '../../../diff/merge.ts';
import type { Admitted } from '../../../gate/admit.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import type { Operation } from '../../../gate/operation.ts';
import type { Subject } from '../../../permissions/rules/subject.ts';
import type { StoredChange } from '../../../recorder/changes.ts';
import type { StoredEntryChange } from '../../../recorder/entries.ts';
import type { FileSystem, Runtime } from '../../../runtime/runtime.ts';
import { applyChanges, NO_FILE } from '../../../tools/applyChanges.ts';
import { passLaterGate } from '../tools/laterGate.ts';
import {
  describeLostContent,
  findChanged,
  findLost,
  isBeforeTexts,
  undoEntries,
} from './undoEntries.ts';

export interface UserRevert extends UserOperation {
  /** What the call changed that is no text, in order. */
  readonly entries: readonly StoredEntryChange[];
}

export interface UserOperation {
  /** The id of the revert, for the gate. */
  readonly id: string;
  /** What the call changed, in order. */
  readonly changes: readonly StoredChange[];
  readonly context: GateContext;
  /** Creates the runtime that reaches the files themselves. */
  runtime(admitted: Admitted): Runtime;
  readonly signal: AbortSignal;
}

/** What reverting a call did. */
export interface Reverted extends MergedTexts {
  /** Everything that was changed back. */
  readonly files: readonly string[];
  /** What is no text and was changed since; then nothing is written. */
  readonly changed: readonly string[];
  /** Why the rest could not be changed back, for the user. */
  readonly failed?: string;
}

interface MergedTexts {
  /** The files that were written. */
  readonly changes: readonly FileChange[];
  /** Files whose later changes touch the same lines; then no file is written. */
  readonly conflicts: readonly string[];
}

/**
 * Takes a call's changes out of the files and keeps what came after them, by a three-way merge; what is no text
 * becomes again what it was, if nothing has changed it since. All texts are written or none, and with a conflict
 * nothing is. What can't be restored because its content is not kept stays as it is. Fails with a message for the user when a rule denies it, or when nothing could be changed back.
 */
export async function revert(parts: UserRevert): Promise<Outcome<Reverted>> {
  const { changes, entries } = parts;
  if (changes.length + entries.length === 0) {
    return failure('The change was not kept, so it cannot be reverted.');
  }
  const texts = [...new Set(changes.map(({ path }) => path))];
  const paths = [...new Set([...texts, ...entries.map(({ path }) => path)])];
  const admitted = await passUserWrite(parts, paths);
  if (!admitted.ok) return admitted;
  const runtime = parts.runtime(admitted.data);
  const merged = await mergeAll(texts, changes, runtime.fs);
  if (!merged.ok) return merged;
  const { conflicts } = merged.data;
  const removed = merged.data.changes.filter(({ newText }) => newText === undefined);
  const gone = removed.map(({ path }) => path);
  const lost = findLost(entries, runtime.entries);
  const kept = entries.filter(({ path }) => !lost.includes(path));
  const changed = findChanged(kept, gone, runtime.entries);
  if (!changed.ok) return changed;
  if (conflicts.length + changed.data.length > 0) {
    return success({ changes: [], files: [], conflicts, changed: changed.data });
  }
  const done = new Set<string>();
  const written = await writeBack(merged.data.changes, kept, runtime, done);
  if (!written.ok && done.size === 0) return written;
  const files = paths.filter((path) => done.has(path));
  if (lost.length > 0 && files.length === 0) {
    return failure(`${describeLostContent(lost)} Nothing was reverted.`);
  }
  const failed = [
    ...(written.ok ? [] : [written.error]),
    ...(lost.length > 0 ? [describeLostContent(lost)] : []),
  ];
  return success({
    ...{ files, conflicts, changed: [] },
    changes: merged.data.changes.filter(({ path }) => done.has(path)),
    ...(failed.length > 0 && {
      failed: `${failed.join(' ')} ${written.ok ? 'Reverted' : 'Already reverted'}: ${files.join(', ')}.`,
    }),
  });
}

/** Writes the texts and entries, and adds the paths that were changed to `done`. */
export async function writeBack(
  changes: readonly FileChange[],
  entries: readonly StoredEntryChange[],
  runtime: Runtime,
  done: Set<string>,
): Promise<Outcome<unknown>> {
  const before = await undoEntries(entries, isBeforeTexts, runtime.entries, done);
  if (!before.ok) return before;
  const texts: string[] = [];
  const written =
    changes.length === 0 ? success([]) : await applyChanges({ changes }, runtime, texts);
  for (const path of texts) done.add(path);
  if (!written.ok) return written;
  return undoEntries(entries, (each) => !isBeforeTexts(each), runtime.entries, done);
}

/** Passes the gate for writing these files as the user asked. Fails when a rule or capability denies it. */
export async function passUserWrite(
  { id, context, signal }: Pick<UserOperation, 'id' | 'context' | 'signal'>,
  paths: readonly string[],
): Promise<Outcome<Admitted>> {
  // The user asked for it, so an ask is answered; a deny holds.
  const answered: GateContext = { ...context, ask: async () => ({ outcome: 'allow' }) };
  const call = { toolCallId: id, operation: toRevertOperation(paths), context: answered, signal };
  const passage = await passLaterGate(call, {});
  if (passage.type === 'stopped') return failure(passage.reason ?? passage.text);
  return success(passage.admitted);
}

function toRevertOperation(paths: readonly string[]): Operation {
  return {
    id: 'revert',
    kind: 'edit',
    parameters: { type: 'object' },
    alsoRuledBy: FILE_CHANGERS,
    subjects() {
      const [first = '', ...others] = paths;
      return [toSubject(first), ...others.map(toSubject)];
    },
    title: () => `Revert ${paths.join(', ')}`,
  };
}

function toSubject(target: string): Subject {
  return { permission: 'revert', capability: 'fs.write', target, match: 'path' };
}

async function mergeAll(
  paths: readonly string[],
  changes: readonly StoredChange[],
  fs: FileSystem,
): Promise<Outcome<MergedTexts>> {
  const merged: FileChange[] = [];
  const conflicts: string[] = [];
  for (const path of paths) {
    const read = await fs.readForChange(path);
    if (!read.ok) return read;
    using file = read.data;
    const oldText = file?.utf8.toString('utf8');
    const own = changes.filter((change) => change.path === path);
    const result = own.reduceRight<string | undefined | typeof CONFLICT>(takeOut, oldText);
    if (result === CONFLICT) conflicts.push(path);
    else if (result !== oldText) {
      merged.push({
        ...{ path, beforeHash: file?.hash() ?? NO_FILE },
        ...(oldText !== undefined && { oldText }),
        ...(result !== undefined && { newText: result }),
      });
    }
  }
  return success({ changes: merged, conflicts });
}

const CONFLICT = Symbol('conflict');

/** The text without one change; undefined: there is no file. */
function takeOut(
  now: string | undefined | typeof CONFLICT,
  { before, after }: StoredChange,
): string | undefined | typeof CONFLICT {
  // The change is out already, such as one that the user rejected.
  if (now === CONFLICT || now === before) return now;
  if (now === after) return before;
  // The file was created, deleted or brought back since.
  if (now === undefined || before === undefined || after === undefined) return CONFLICT;
  const { text, conflicts } = mergeTexts(after, now, before);
  return conflicts.length > 0 ? CONFLICT : text;
}
