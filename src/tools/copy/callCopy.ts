import { fieldAt } from '../../base/json.ts';
import { failure, type Outcome } from '../../base/outcome.ts';
import type { ToolDisplay } from '../../base/stream/chunk.ts';
import type { EnvelopeMetadata } from '../../base/stream/envelope.ts';
import type { FileReview } from '../../diff/fileReview.ts';
import type { Runtime } from '../../runtime/runtime.ts';

/** The copy of the workspace, while one call has it. */
export interface CallCopy {
  /** Its commands run in the copy. */
  readonly runtime: Runtime;
  /** Decides about what the command changed, once it has ended. */
  settle(ended: EndedCommand): Promise<SettledCopy>;
  /** Lets the next command have the copy. Idempotent. */
  release(): void;
}

export interface EndedCommand {
  /** It ended with an error. */
  readonly failed: boolean;
  /** What it printed, as far as it is in the result. */
  readonly output: string;
  /** The user stopped it, so it is not to be run again. */
  readonly stopped?: boolean;
  /** Why the sandbox ended it. */
  readonly fault?: string | undefined;
}

/** `again`: the command is to be run again in the copy, with this runtime, and then settled. */
export type SettledCopy = { readonly type: 'again'; readonly runtime: Runtime } | EndedCopy;

/** `forReal`: the copy can't do what the command does, or a review can't show it; nothing was applied. */
export type EndedCopy = LeftCopy | KeptCopy;

/** The call is to be made again outside of the copy. `outside`: without the sandbox, as the user wants. */
export type LeftCopy =
  | { readonly type: 'forReal'; readonly why: string; readonly looksOnly?: true }
  | { readonly type: 'outside' };

export interface KeptCopy {
  readonly type: 'kept';
  /** It did not run in a copy: it could look at the workspace itself, and write nothing. */
  readonly looksOnly?: true;
  /** Files that were written to the workspace. */
  readonly files: number;
  /** Sentences for the model about what was not. */
  readonly notes: readonly string[];
  /** The user's review, if something else than the proposal was approved. */
  readonly reviews?: readonly FileReview[];
}

/** Opens no copy, where there is none. */
export async function noCopy(): Promise<Outcome<CallCopy>> {
  return failure('There is no copy of the workspace to run this in. Nothing was run.');
}

/** Why a call that would have run in the copy asks to run for real, for the user. */
export function toRealReason({
  why,
  looksOnly,
}: Extract<LeftCopy, { readonly type: 'forReal' }>): string {
  if (looksOnly) return `${why} Nothing has changed. Run it for real?`;
  return `${why} That is not possible in a copy of the workspace, and nothing has changed in the workspace. Run it there?`;
}

/** Runs a call in the copy, settles its changes and ends the lease. */
export async function settleAfter<End>(
  copy: CallCopy,
  execute: (runtime: Runtime) => Promise<End>,
  toEnded: (end: End) => EndedCommand,
): Promise<{ readonly end: End; readonly settled: EndedCopy }> {
  try {
    let { runtime } = copy;
    for (;;) {
      const end = await execute(runtime);
      const settled = await copy.settle(toEnded(end));
      if (settled.type !== 'again') return { end, settled };
      runtime = settled.runtime;
    }
  } finally {
    copy.release();
  }
}

/** How a command ended, by a result of the shape that a tool returns. */
export function toEndedCommand(data: unknown): EndedCommand {
  const output = fieldAt(data, 'output') ?? fieldAt(data, 'head');
  return { failed: fieldAt(data, 'exit_code') !== 0, output: String(output ?? '') };
}

/** What the model is told besides the result. `hint`: what to do if it failed because of the sandbox. */
export function toCopyTexts(
  copied: KeptCopy | undefined,
  hint: string | undefined,
): Pick<EnvelopeMetadata, 'in_copy' | 'sandbox'> {
  return {
    ...(copied && { in_copy: toCopyText(copied) }),
    ...(hint !== undefined && { sandbox: hint }),
  };
}

function toCopyText({ files, notes, looksOnly }: KeptCopy): string {
  if (looksOnly) {
    const said = 'The command ran in a sandbox in which it could not write to the workspace.';
    return [said, ...notes].join(' ');
  }
  const written = files === 0 ? 'No file' : toFiles(files);
  const were = files > 1 ? 'were' : 'was';
  const said = `The command ran in a copy of the workspace. ${written} that it changed ${were} written to the workspace.`;
  return [said, ...notes].join(' ');
}

/** Adds to a call's card that it ran in the copy, and that it can run without, below its other content. */
export function withCopy(
  shown: ToolDisplay,
  copied: KeptCopy | undefined,
  hint: string | undefined,
): ToolDisplay {
  const lines = toCopyLines(copied, hint);
  if (lines.length === 0) return shown;
  const text = lines.join('\n');
  const reverts = copied !== undefined && copied.files > 0;
  const content = [...(shown.content ?? []), { type: 'text', text } as const];
  return { ...shown, content, ...(reverts && { revertable: true }) };
}

/** The same for a call that ended with an error, whose card has no other text than the error's. */
export function withCopyError(
  shown: ToolDisplay,
  errorText: string,
  copied: KeptCopy | undefined,
  hint: string | undefined,
): { readonly display: ToolDisplay; readonly errorText: string } {
  return {
    display: withCopy(shown, copied, hint),
    errorText: [errorText, ...toCopyLines(copied, hint)].join('\n'),
  };
}

function toCopyLines(copied: KeptCopy | undefined, hint: string | undefined): readonly string[] {
  return [...(copied ? toLines(copied) : []), ...(hint === undefined ? [] : [RUN_WITHOUT])];
}

const RUN_WITHOUT = 'If the sandbox is why it failed, the agent can ask you to run it without.';

function toLines({ files, notes, looksOnly }: KeptCopy): readonly string[] {
  if (looksOnly) return ['Ran in a sandbox that can only look at the workspace', ...notes];
  const changed = files === 0 ? '' : ` · ${toFiles(files)} changed`;
  return [`Ran in a copy of the workspace${changed}`, ...notes];
}

function toFiles(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}
