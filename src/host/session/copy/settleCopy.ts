import { failure, success } from '../../../base/outcome.ts';
import { FILE_CHANGERS } from '../../../base/tools/toolFacts.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import type { FileReview } from '../../../diff/fileReview.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import type { Operation } from '../../../gate/operation.ts';
import { passGate } from '../../../gate/passGate.ts';
import type { Subject } from '../../../permissions/rules/subject.ts';
import type { Gate, Runtime } from '../../../runtime/runtime.ts';
import type { CopyChange, CopyChanges } from '../../../runtime/sandbox/changes/changes.ts';
import type { CopyReport, HeldCopy } from '../../../runtime/sandbox/copy.ts';
import { applyChanges } from '../../../tools/applyChanges.ts';
import type { SettledCopy } from '../../../tools/copy/callCopy.ts';
import { describePreview } from '../../../tools/display.ts';
import { type DecidedChanges, decideChanges } from './decideChanges.ts';
import { toTextChanges } from './textChanges.ts';

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
  const texts = [
    await toTextChanges(decided.allowed, listed.data.files, fs),
    await toTextChanges(asked, listed.data.files, fs),
  ];
  const why = findObstacle(listed.data, report, failed) ?? texts.find((each) => !each.ok)?.error;
  const ignored = new Set(decided.ignored);
  const settled = [...listed.data.files, ...listed.data.git].filter((each) => !ignored.has(each));
  if (why !== undefined) {
    await held.drop(settled);
    return { type: 'forReal', why };
  }
  const applied: Applied[] = [];
  for (const each of texts) applied.push(await apply(parts, each.ok ? each.data : []));
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

interface Applied {
  /** Written files. */
  readonly files: number;
  readonly notes: readonly string[];
  readonly reviews: readonly FileReview[];
}

/** Passes the gate for writing these files, which asks unless rules allow it, and writes what is approved. */
async function apply(parts: SettleParts, changes: readonly FileChange[]): Promise<Applied> {
  const { toolCallId, context, signal } = parts;
  if (changes.length === 0) return { files: 0, notes: [], reviews: [] };
  const preview = { changes };
  // The watchdog has seen the command; its review is not another call.
  const { watchdog: _, ...own } = context;
  const operation = toOperation(parts.title, changes);
  const call = { toolCallId, operation, context: own, signal };
  const passage = await passGate(call, {}, async ({ shown }) => ({
    ok: true,
    data: { preview, shown: { ...shown, ...describePreview(preview) }, reason: REVIEW },
  }));
  if (passage.type === 'stopped') {
    return { files: 0, notes: [`None of its changes was written. ${passage.text}`], reviews: [] };
  }
  const runtime = parts.runtime(passage.admitted.gate);
  const written = await applyChanges(passage.approved ?? preview, runtime);
  if (!written.ok) return { files: 0, notes: [written.error], reviews: [] };
  return { files: written.data.length, notes: [], reviews: passage.review ?? [] };
}

const REVIEW =
  'The command ran in a copy of the workspace. These are its changes; none of them is in the workspace yet.';

function toOperation(title: string, changes: readonly FileChange[]): Operation {
  return {
    id: 'copy',
    kind: 'edit',
    parameters: { type: 'object' },
    alsoRuledBy: FILE_CHANGERS,
    subjects() {
      const [first = '', ...others] = changes.map(({ path }) => path);
      return [toSubject(first), ...others.map(toSubject)];
    },
    title: () => `Changes of: ${title}`,
  };
}

function toSubject(target: string): Subject {
  return { permission: 'fs.write', capability: 'fs.write', target, match: 'path' };
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
