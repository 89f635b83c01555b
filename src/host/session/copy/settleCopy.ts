import { failure, success } from '../../../base/outcome.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import type { Gate, Runtime } from '../../../runtime/runtime.ts';
import type { CopyChange, CopyChanges } from '../../../runtime/sandbox/changes/changes.ts';
import type { CopyReport, HeldCopy } from '../../../runtime/sandbox/copy.ts';
import type { SettledCopy } from '../../../tools/copy/callCopy.ts';
import { type Applied, applyReviewed } from './applyReviewed.ts';
import { type DecidedChanges, decideChanges } from './decideChanges.ts';
import { toReviewedChanges } from './reviewedChanges.ts';

export interface SettleParts {
  readonly toolCallId: string;
  /** The title of the call. */
  readonly title: string;
  readonly held: HeldCopy;
  readonly context: GateContext;
  /** Creates the runtime that reaches the files themselves. */
  runtime(gate: Gate): Runtime;
  readonly signal: AbortSignal;
}

/**
 * Decides about everything that a command changed in the copy: applies what rules allow, has the user review
 * the rest at once, and drops what is denied or rejected. What the copy can't do, or a review can't show,
 * asks to run for real, and nothing of it is applied. `failed`: the command ended with an error.
 */
export async function settleCopy(parts: SettleParts, failed: boolean): Promise<SettledCopy> {
  const { held, context, signal } = parts;
  const report = held.report();
  const listed = await held.changes(signal);
  if (!listed.ok) return { type: 'kept', files: 0, notes: [listed.error] };
  const decided = await decideChanges(listed.data.files, context, signal);
  const asked = decided.asked.map(({ change }) => change);
  const { fs } = parts.runtime(toComparing([...decided.allowed, ...asked]));
  const reviewed = [
    await toReviewedChanges(decided.allowed, listed.data.files, fs),
    await toReviewedChanges(asked, listed.data.files, fs),
  ];
  const why = findObstacle(listed.data, report, failed) ?? reviewed.find((each) => !each.ok)?.error;
  const ignored = new Set(decided.ignored);
  const settled = [...listed.data.files, ...listed.data.git].filter((each) => !ignored.has(each));
  if (why !== undefined) {
    await held.drop(settled);
    return { type: 'forReal', why };
  }
  const applied: Applied[] = [];
  for (const each of reviewed) if (each.ok) applied.push(await applyReviewed(parts, each.data));
  await held.drop(settled);
  return {
    type: 'kept',
    files: applied.reduce((sum, each) => sum + each.files, 0),
    notes: [...toNotes(decided, report), ...applied.flatMap(({ notes }) => notes)],
    reviews: applied.flatMap(({ reviews }) => reviews),
  };
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

/** Why the command has to run for real to do what it does. */
function findObstacle(
  { git }: CopyChanges,
  report: CopyReport | undefined,
  failed: boolean,
): string | undefined {
  if (failed && report?.wantedNetwork && report.refusedHosts.length === 0) {
    return 'It failed after it tried to use the network in a way that the copy does not offer.';
  }
  return git.length > 0 ? "It changes the repository's own data in `.git`." : undefined;
}

/** Sentences for the model about what was not written. */
function toNotes(
  { denied, conflicts, ignored }: DecidedChanges,
  report: CopyReport | undefined,
): readonly string[] {
  const refused = denied.map(({ change, why }) => `${change.path} was not written: ${why}`);
  const changed = conflicts.map(
    ({ path }) => `${path} was not written: it changed in the workspace while the command ran.`,
  );
  const kept = ignored.map(({ path }) => path);
  return [
    ...refused.slice(0, LISTED),
    ...changed.slice(0, LISTED),
    ...toList('Git ignores these files; they are in the copy only, for later commands', kept),
    ...toList('It did not reach these hosts', report?.refusedHosts),
    ...toList('Rules hide these files from it, and its changes are lost', report?.maskedWrites),
    ...toList('Its changes of the home folder are lost', report?.homeWrites),
  ];
}

/** The most files that one sentence names. */
const LISTED = 20;

function toList(what: string, names: readonly string[] = []): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > LISTED ? `, and ${names.length - LISTED} more` : '';
  return [`${what}: ${names.slice(0, LISTED).join(', ')}${more}.`];
}
