import { getCode, getMessage } from '../../../base/faults.ts';
import { showHidden } from '../../../base/hidden.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import type { ContentRoom } from '../../../recorder/entries.ts';
import type { Gate, Runtime } from '../../../runtime/runtime.ts';
import type { CopyChange, CopyChanges } from '../../../runtime/sandbox/changes/changes.ts';
import type { Meanwhile } from '../../../runtime/sandbox/changes/meanwhile.ts';
import type { CopyReport, HeldCopy } from '../../../runtime/sandbox/copy.ts';
import type { UnreviewedWrites } from '../../../tools/call.ts';
import type { EndedCommand, SettledCopy } from '../../../tools/copy/callCopy.ts';
import { type Applied, type ApplyHow, applyReviewed } from './applyReviewed.ts';
import { type DecidedChanges, decideChanges, type ReasonedChange } from './decideChanges.ts';
import { findIgnored } from './findIgnored.ts';
import { type ComparedChanges, type Overtaken, toReviewedChanges } from './reviewedChanges.ts';

export interface SettleParts {
  readonly toolCallId: string;
  /** The title of the call. */
  readonly title: string;
  readonly held: HeldCopy;
  /** What can be kept of the call's changes to revert them. */
  contentRoom(): ContentRoom;
  /** What is written unasked from now on awaits a review. Absent: the session's mode has no such review. */
  noteWrites?(): UnreviewedWrites;
  readonly context: GateContext;
  /** Creates the runtime that reaches the files themselves. */
  runtime(gate: Gate, signal: AbortSignal): Runtime;
  readonly signal: AbortSignal;
}

/**
 * Decides about everything that a command changed in the copy: applies what rules allow, has the user review
 * the rest at once, and drops what is denied or rejected. What the copy can't do, or a review can't show,
 * asks to run for real, and nothing of it is applied. Once the call is aborted, everything is dropped that is not being
 * written by then.
 */
export async function settleCopy(parts: SettleParts, ended: EndedCommand): Promise<SettledCopy> {
  const { signal } = parts;
  if (signal.aborted) return discard(parts);
  try {
    return await settle(parts, ended);
  } catch (fault) {
    if (!signal.aborted) throw fault;
    return discard(parts);
  }
}

/** Otherwise the next command would be asked about what this one left half done. */
async function discard(parts: SettleParts): Promise<SettledCopy> {
  const emptied = await dropAll(parts);
  if (!emptied.ok) return { type: 'kept', files: 0, notes: [emptied.error] };
  return { type: 'kept', files: 0, notes: ['Its changes were discarded.', ...emptied.data] };
}

/** Drops everything but what git ignores, also once the call is aborted. Returns what `drop` says. */
export async function dropAll({
  held,
  context,
}: Pick<SettleParts, 'held' | 'context'>): Promise<Outcome<readonly string[]>> {
  const { signal } = new AbortController();
  const listed = await readChanges(held, signal);
  if (!listed.ok) return listed;
  const ignored = await findIgnored(listed.data.files, context.policy().readGit, signal);
  const dropped = [...listed.data.files, ...listed.data.git].filter((each) => !ignored.has(each));
  return success(await drop(held, dropped));
}

/**
 * Takes settled changes out of the copy, or empties it: what stays would be asked about again, and what was written is
 * written. Returns sentences about that.
 */
async function drop(held: HeldCopy, changes: readonly CopyChange[]): Promise<readonly string[]> {
  try {
    await held.drop(changes);
    return [];
  } catch (fault) {
    await held.reset();
    return [`The copy was emptied, with the files in it that git ignores (${getMessage(fault)}).`];
  }
}

/** What can't be read can't be reviewed, and would keep the session's next commands from being settled. */
async function readChanges(held: HeldCopy, signal: AbortSignal): Promise<Outcome<CopyChanges>> {
  try {
    return await held.changes(signal);
  } catch (fault) {
    if (signal.aborted) throw fault;
    await held.reset();
    const why = getCode(fault);
    return failure(
      `What it changed could not be read${why === undefined ? '' : ` (${why})`}, and is discarded with all else in the copy. The workspace is unchanged.`,
    );
  }
}

async function settle(parts: SettleParts, ended: EndedCommand): Promise<SettledCopy> {
  const { held, context, signal } = parts;
  const report = held.report();
  const listed = await readChanges(held, signal);
  if (!listed.ok) {
    return signal.aborted ? discard(parts) : { type: 'kept', files: 0, notes: [listed.error] };
  }
  const decided = await decideChanges(listed.data.files, context, signal);
  const reviewed = await compareAll(parts, decided, listed.data.files);
  const overtaken = reviewed.flatMap((each) => (each.ok ? each.data.overtaken : []));
  const obstacle = ended.fault ?? findObstacle(listed.data, report, ended);
  const why = obstacle ?? describeMany(decided) ?? reviewed.find((each) => !each.ok)?.error;
  const ignored = new Set(decided.ignored);
  const settled = [...listed.data.files, ...listed.data.git].filter((each) => !ignored.has(each));
  if (why !== undefined) {
    const emptied = await drop(held, settled);
    if (ended.stopped) return toStopped(why, emptied);
    return toForReal([...toDenied(decided), why].join(' '), report);
  }
  const applied: Applied[] = [];
  const asked = reviewed.at(-1);
  // The user may want a command that failed to run without the sandbox, so nothing is written before.
  for (const each of ended.failed ? reviewed.reverse() : reviewed) {
    const isWritten = applied.some(({ files }) => files > 0);
    const isPart = each === asked && decided.allowed.length > 0;
    const how = { failed: ended.failed, denied: toDenied(decided), isPart, isWritten };
    if (each.ok) applied.push(await applyNext(parts, each.data, how));
    if (applied.at(-1)?.outside) break;
  }
  const emptied = await drop(held, settled);
  if (applied.at(-1)?.outside) return { type: 'outside' };
  return {
    type: 'kept',
    ...(report?.looksOnly && { looksOnly: true }),
    files: applied.reduce((sum, each) => sum + each.files, 0),
    notes: [
      ...toLookNote(report, ended),
      ...toNotes(decided, overtaken, report),
      ...applied.flatMap(({ notes }) => notes),
      ...emptied,
    ],
    reviews: applied.flatMap(({ reviews }) => reviews),
  };
}

/** Changes that are written or asked about at once. */
interface NextChanges extends ComparedChanges {
  /** Why the user is asked about them, whatever rules allow. */
  readonly doubts: readonly string[];
}

/** What rules allow and what is in question, each as it is reviewed. */
async function compareAll(
  parts: SettleParts,
  { allowed, asked }: DecidedChanges,
  all: readonly CopyChange[],
): Promise<Outcome<NextChanges>[]> {
  const inQuestion = asked.map(({ change }) => change);
  const { fs } = parts.runtime(toComparing([...allowed, ...inQuestion]), parts.signal);
  const compare = async (changes: readonly CopyChange[], why: readonly ReasonedChange[]) => {
    const compared = await toReviewedChanges(changes, all, fs);
    if (!compared.ok) return compared;
    const gone = new Set(compared.data.overtaken.map(({ change }) => change));
    const doubts = why.filter(({ change, always }) => always && !gone.has(change));
    return success({ ...compared.data, doubts: doubts.map((each) => each.why) });
  };
  return [await compare(allowed, []), await compare(inQuestion, asked)];
}

function toForReal(why: string, report: CopyReport | undefined): SettledCopy {
  return { type: 'forReal', why, ...(report?.looksOnly && { looksOnly: true }) };
}

/** Where it runs for real, no rule about a file keeps it from writing there. */
function toDenied({ denied }: DecidedChanges): readonly string[] {
  const ruled = denied.filter(({ change }) => change.kind !== 'special');
  return toList(
    'It changes what rules deny',
    ruled.map(({ change }) => change.path),
  );
}

function toStopped(why: string, emptied: readonly string[]): SettledCopy {
  return { type: 'kept', files: 0, notes: [why, 'Its changes were discarded.', ...emptied] };
}

/** A command may end well though it could not write. */
function toLookNote(report: CopyReport | undefined, { output }: EndedCommand): readonly string[] {
  if (!report?.looksOnly || !WRITE_REFUSED.test(output)) return [];
  return [`${CANNOT_WRITE} What it could not write is missing. ${RUN_OUTSIDE}`];
}

const RUN_OUTSIDE =
  'Call again with without_sandbox: true, and the user is asked (Run Without Sandbox…).';

/** What is written stays and is counted, so once something is, an abort or a fault ends the rest only. */
async function applyNext(
  parts: SettleParts,
  { doubts, ...changes }: NextChanges,
  { isWritten, ...how }: Omit<ApplyHow, 'doubts'> & { readonly isWritten: boolean },
): Promise<Applied> {
  try {
    return await applyReviewed(parts, changes, { ...how, doubts });
  } catch (fault) {
    if (!isWritten) throw fault;
    const why = parts.signal.aborted ? '' : ` ${getMessage(fault)}`;
    return { files: 0, notes: [`Its other changes were discarded.${why}`], reviews: [] };
  }
}

/** Reads the workspace's own versions of these files, and no other file that a link leads to by now. */
function toComparing(changes: readonly CopyChange[]): Gate {
  const paths = new Set(changes.map(({ file }) => file.toString('utf8')));
  const refuse = async () => failure<void>('It leads elsewhere than when the command ran.');
  return {
    realPath: () => undefined,
    authorize: async ({ target }) => (paths.has(target) ? success(undefined) : refuse()),
    authorizeAddress: refuse,
    filterBelow: () => undefined,
  };
}

/** How programs print EXDEV. */
const RENAMES_FOLDER = /\bEXDEV\b|cross-device link/i;

/** How programs print ENOSPC and EDQUOT. */
const LACKS_SPACE = /\b(?:ENOSPC|EDQUOT)\b|No space left on device|Disk quota exceeded/i;

/** How programs print that the sandbox of a Mac kept them from writing. */
const WRITE_REFUSED = /\bE(?:PERM|ROFS)\b|Operation not permitted|Read-only file system/i;
const CANNOT_WRITE =
  "It can't write here: on this system, commands in the sandbox can only look at the workspace, without the files that rules hide.";

/** Why the command has to run for real to do what it does. */
function findObstacle(
  { git }: CopyChanges,
  report: CopyReport | undefined,
  { failed, output }: EndedCommand,
): string | undefined {
  if (failed && RENAMES_FOLDER.test(output)) {
    return 'It renames a folder of the workspace (EXDEV), and programs other than `mv` can only do that in the workspace itself.';
  }
  if (failed && LACKS_SPACE.test(output)) {
    return "It failed for lack of space: the disk that holds the copies, in Gatehouse's data folder, is full or nearly so.";
  }
  if (failed && report?.wantedNetwork && report.refusedHosts.length === 0) {
    return 'It failed after it tried to use the network in a way that the copy does not offer.';
  }
  if (failed && report?.looksOnly && WRITE_REFUSED.test(output)) return CANNOT_WRITE;
  return git.length > 0 ? "It changes the repository's own data in `.git`." : undefined;
}

function describeMany({ tooMany }: DecidedChanges): string | undefined {
  return tooMany === undefined ? undefined : `It changes ${tooMany} files and folders.`;
}

/** Sentences for the model about what was not written. */
function toNotes(
  { denied, conflicts, ignored }: DecidedChanges,
  overtaken: readonly Overtaken[],
  report: CopyReport | undefined,
): readonly string[] {
  const refused = denied.map(
    ({ change, why }) => `${showHidden(change.path)} was not written: ${why}`,
  );
  const changed = conflicts.map(
    (change) =>
      `${toRefused(change, change.was === undefined ? 'deleted' : 'changed')} while the command ran.`,
  );
  // What both deleted is gone as it should be.
  const isMissed = ({ change, by }: Overtaken) => change.type !== 'deleted' || by !== 'deleted';
  const late = overtaken
    .filter(isMissed)
    .map(({ change, by }) => `${toRefused(change, by)} after the command ran.`);
  const kept = ignored.map(({ path }) => path);
  return [
    ...refused.slice(0, LISTED),
    ...changed.slice(0, LISTED),
    ...late.slice(0, LISTED),
    ...toList(
      'Git ignores these files, or they are caches of tools; they are in the copy only, for later commands',
      kept,
    ),
    ...toList('It did not reach these hosts', report?.refusedHosts),
    ...toList('Rules hide these files from it, and its changes are lost', report?.maskedWrites),
    ...toList('Its changes of the home folder are lost', report?.homeWrites),
  ];
}

function toRefused({ path, type }: CopyChange, by: Meanwhile): string {
  const refused = type === 'deleted' ? 'deleted' : 'written';
  const happened = by === 'changed' ? by : `was ${by}`;
  return `${showHidden(path)} was not ${refused}: it ${happened} in the workspace`;
}

/** The most files that one sentence names. */
const LISTED = 20;

function toList(what: string, names: readonly string[] = []): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > LISTED ? `, and ${names.length - LISTED} more` : '';
  return [`${what}: ${names.slice(0, LISTED).map(showHidden).join(', ')}${more}.`];
}
