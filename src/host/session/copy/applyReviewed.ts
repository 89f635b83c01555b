import { lstatSync } from 'node:fs';
import { getMessage } from '../../../base/faults.ts';
import { showHidden } from '../../../base/hidden.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { ToolDisplay } from '../../../base/stream/chunk.ts';
import { FILE_CHANGERS } from '../../../base/tools/toolFacts.ts';
import type { FileReview } from '../../../diff/fileReview.ts';
import type { Operation } from '../../../gate/operation.ts';
import { passGate } from '../../../gate/passGate.ts';
import type { Preview, ProposedEntry } from '../../../gate/preview.ts';
import type { Subject } from '../../../permissions/rules/subject.ts';
import { findEntryConflict } from '../../../runtime/local/entries.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { applyChanges } from '../../../tools/applyChanges.ts';
import { describePreview } from '../../../tools/display.ts';
import { chooseOthers } from './chooseOthers.ts';
import { describeLost } from './describeLost.ts';
import type { OtherChange } from './otherChanges.ts';
import { openFirst } from './readOnly.ts';
import type { ReviewedChanges } from './reviewedChanges.ts';
import type { SettleParts } from './settleCopy.ts';

export interface Applied {
  /** Written files, links, folders and modes. */
  readonly files: number;
  readonly notes: readonly string[];
  readonly reviews: readonly FileReview[];
  /** Nothing was written, because the user wants the command to run without the sandbox instead. */
  readonly outside?: true;
}

export interface ApplyHow {
  /** The command did, so the user may have it run without the sandbox instead. */
  readonly failed?: boolean;
  /** Others of its changes are decided about apart. */
  readonly isPart?: boolean;
  /** Why the user is asked whatever rules allow. None: rules may allow it. */
  readonly doubts?: readonly string[];
  /** Names the changes that rules deny, which nothing would keep the command from making without the sandbox. */
  readonly denied?: readonly string[];
}

/**
 * Passes the gate for writing these files, which asks unless rules allow it, and writes what is approved. Throws when
 * the call is aborted before the first write; what has begun to be written is finished.
 */
export async function applyReviewed(
  parts: SettleParts,
  changes: ReviewedChanges,
  { failed = false, isPart = false, doubts = [], denied = [] }: ApplyHow = {},
): Promise<Applied> {
  const { toolCallId, context, signal } = parts;
  const { texts, others } = changes;
  if (texts.length + others.length === 0) return { files: 0, notes: [], reviews: [] };
  const preview = texts.length === 0 ? undefined : { changes: texts };
  // The watchdog has seen the command; its review is not another call.
  const { watchdog: _, ...own } = context;
  const operation = toOperation(parts.title, changes, doubts);
  const call = { toolCallId, operation, context: own, signal };
  let isAsked = false;
  const passage = await passGate(call, {}, async ({ shown, decision }) => {
    isAsked = true;
    return success({
      ...(preview && { preview }),
      offersOutside: failed,
      shown: { ...shown, ...describe(preview, others) },
      reason: join(
        failed ? RAN_AND_FAILED : RAN,
        isPart ? PART : ALL,
        ...(failed && denied.length > 0 ? [...denied, DENIED_OUTSIDE] : []),
        ...doubts.slice(0, SAID),
        describeLost(others, parts.contentRoom()),
        // Last, since *Go to Rule* stands after it.
        decision.rule && decision.reason,
      ),
      ...(others.length > 0 && { entries: toEntries(others) }),
    });
  });
  if (passage.type === 'stopped') {
    if (passage.why === 'outside') return { files: 0, notes: [], reviews: [], outside: true };
    const none = isPart ? NONE_IN_QUESTION : NONE;
    return { files: 0, notes: [`${none} ${passage.text}`], reviews: [] };
  }
  signal.throwIfAborted();
  const runtime = parts.runtime(passage.admitted.gate, new AbortController().signal);
  const approved = passage.approved ?? preview ?? { changes: [] };
  const reviews = passage.review ?? [];
  const chosen = chooseOthers(changes, approved, new Set(passage.leftOut));
  const unreviewed = isAsked ? undefined : parts.noteWrites?.();
  // Afterwards, the old contents are gone.
  const lost = isAsked ? undefined : describeLost(chosen.made, parts.contentRoom(), false);
  const made = await make(approved, chosen.made, runtime).finally(() => unreviewed?.end());
  const waits = unreviewed !== undefined && unreviewed.count() > 0;
  const notes = [...made.notes, ...chosen.notes, ...(waits ? [join(UNREVIEWED, lost)] : [])];
  return { ...made, notes, reviews: made.files === 0 ? [] : reviews };
}

function join(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter(Boolean).join(' ');
}

/** Doubts that are said; the review shows each change. */
const SAID = 3;

const RAN = 'The command ran in a copy of the workspace.';
const RAN_AND_FAILED = 'The command ran in a copy of the workspace, and failed.';
const ALL = 'These are its changes; none of them is in the workspace yet.';
const PART =
  'Rules allow some of its changes. These are the others; none of them is in the workspace yet.';

const NONE = 'None of its changes was written.';
const NONE_IN_QUESTION = 'None of the changes that ask was written.';

const DENIED_OUTSIDE = 'Without the sandbox, no rule would keep it from that.';

const UNREVIEWED = 'Rules let its changes be written. They await a review, which may undo them.';

/** What is listed beside the texts. The position of a change in the review identifies it. */
function toEntries(others: readonly OtherChange[]): readonly ProposedEntry[] {
  return others.map(({ entry: { path }, shown, withText }, at) => ({
    ...{ id: String(at), path, text: shown },
    ...(withText && { withText }),
  }));
}

function describe(preview: Preview | undefined, others: readonly OtherChange[]): ToolDisplay {
  const { locations = [], content = [] } = describePreview(preview ?? { changes: [] });
  const paths = new Set(locations.map(({ path }) => path));
  const more = others.map(({ entry: { path } }) => path).filter((path) => !paths.has(path));
  return { locations: [...locations, ...more.map((path) => ({ path }))], content };
}

function toOperation(
  title: string,
  { texts, others }: ReviewedChanges,
  doubts: readonly string[],
): Operation {
  return {
    id: 'copy',
    kind: 'edit',
    parameters: { type: 'object' },
    alsoRuledBy: FILE_CHANGERS,
    ...(doubts.length > 0 && { confirmation: 'ask', askReason: doubts.slice(0, SAID).join(' ') }),
    subjects() {
      const paths = new Set(
        [...texts, ...others.map(({ entry }) => entry)].map(({ path }) => path),
      );
      const [first = '', ...more] = paths;
      return [toSubject(first), ...more.map(toSubject)];
    },
    title: () => `Changes of: ${title}`,
  };
}

function toSubject(target: string): Subject {
  return { permission: 'fs.write', capability: 'fs.write', target, match: 'path' };
}

/** Checks everything before the first is written. What can't be made afterwards is named. */
async function make(
  preview: Preview,
  wanted: readonly OtherChange[],
  runtime: Runtime,
): Promise<Omit<Applied, 'reviews'>> {
  const notes: string[] = [];
  const foreign = new Set<OtherChange>();
  for (const other of wanted) {
    const { entry, withText, withContent } = other;
    const stats = lstatSync(entry.path, { throwIfNoEntry: false });
    if (withContent && stats !== undefined) {
      foreign.add(other);
      notes.push(`${entry.path} was there already. Its mode was not changed.`);
    }
    // A file that is created with its text is not there yet.
    const isNew = withContent || (withText && entry.wasMode === undefined);
    const conflict = isNew ? undefined : findEntryConflict(entry, stats);
    if (conflict !== undefined) return { files: 0, notes: [`${conflict} Nothing was written.`] };
  }
  const change: Runtime['entries']['change'] = async (entry) => runtime.entries.change(entry);
  const opened = await openFirst(wanted, (entry) => tryTo(() => change(entry)));
  if (opened.error !== undefined)
    return { files: 0, notes: [`${opened.error} Nothing was written.`] };
  const done: string[] = [];
  const written = await tryTo(async () => applyTexts(preview, runtime, done));
  const paths = new Set(done);
  if (!written.ok) {
    await opened.close(paths);
    const all = [...preview.changes, ...wanted.map(({ entry }) => entry)].map(({ path }) => path);
    const missed = [...new Set(all)].filter((path) => !paths.has(path));
    return {
      files: paths.size,
      notes: [written.error, ...(done.length > 0 ? [toMissed(missed)] : [])],
    };
  }
  for (const other of inOrder(wanted)) {
    const { entry } = other;
    if (opened.made.has(other)) paths.add(entry.path);
    if (
      opened.made.has(other) ||
      foreign.has(other) ||
      (other.withContent && isMissing(entry.path))
    )
      continue;
    const changed = await tryTo(() => change(entry));
    if (changed.ok) paths.add(entry.path);
    else notes.push(changed.error);
  }
  return { files: paths.size, notes };
}

/** What is written by then is told and counted in any case. */
async function tryTo(write: () => Promise<Outcome<unknown>>): Promise<Outcome<unknown>> {
  try {
    return await write();
  } catch (fault) {
    return failure(getMessage(fault));
  }
}

function toMissed(paths: readonly string[]): string {
  const more = paths.length > LISTED ? `, and ${paths.length - LISTED} more` : '';
  return `Not written: ${paths.slice(0, LISTED).map(showHidden).join(', ')}${more}.`;
}

/** The most files that one sentence names. */
const LISTED = 20;

/** Nothing in it was made. */
function isMissing(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined;
}

async function applyTexts(
  preview: Preview,
  runtime: Runtime,
  done: string[],
): Promise<Outcome<readonly string[]>> {
  return preview.changes.length === 0 ? success([]) : applyChanges(preview, runtime, done);
}

/** Folders go after what lay in them, the innermost first, and modes last, since they may make read-only. */
function inOrder(others: readonly OtherChange[]): readonly OtherChange[] {
  const isRemoved = ({ entry }: OtherChange) =>
    entry.after.type === 'none' && entry.before === 'folder';
  const isMode = ({ entry }: OtherChange) => entry.after.type === 'mode';
  const first = others.filter((other) => !isRemoved(other) && !isMode(other));
  const removed = others.filter(isRemoved).reverse();
  // Those of outer folders may close them, so the innermost go first.
  return [...first, ...removed, ...others.filter(isMode).reverse()];
}
