import type { ToolDisplay } from '../base/stream/chunk.ts';
import type { ToolKind } from '../base/tools/toolKind.ts';
import type { ApprovedFile, HunkReason } from '../diff/fileChange.ts';
import type { Decision } from '../permissions/rules/policy.ts';
import type { Preview, ProposedEntry } from './preview.ts';

/** Asks the user about one call. The answer is ignored once the signal aborted. */
export type AskUser = (request: AskRequest, signal: AbortSignal) => Promise<AskReply>;

/** The content of an ask. */
export interface AskDetails {
  readonly toolCallId: string;
  readonly tool: string;
  /** See `Operation`. */
  readonly identity?: string;
  readonly kind: ToolKind;
  readonly title: string;
  /** See `Operation`. */
  readonly isAside?: true;
  readonly input: unknown;
  readonly decision: Decision;
  readonly preview?: Preview;
  /** What is proposed besides, since a difference of texts can't show it. */
  readonly entries?: readonly ProposedEntry[];
  /** The files that the call touches. */
  readonly locations?: NonNullable<ToolDisplay['locations']>;
  /** The folder that the call's command lines run in. */
  readonly cwd?: string;
  /**
   * Why arguments that the user edited can't run, or undefined if they may: they are validated and
   * evaluated like those of a new call. Absent: the user can't edit the arguments.
   */
  readonly checkEdit?: (input: unknown) => Promise<string | undefined>;
  /** The user may have the command run without the sandbox instead, after another ask. */
  readonly offersOutside?: boolean;
}

/** An ask while it is pending. */
export interface AskRequest extends AskDetails {
  /**
   * Evaluates the call again, in full, with the current rules (spec VC-38). Call it when a rule was
   * stored for another ask. If the call no longer needs the user, it is settled and its ask is cancelled
   * through the signal. Never rejects.
   */
  reevaluate(): Promise<void>;
  /**
   * The user has answered, though the answer is not here yet: while its rules are being saved, for one.
   * From now on rules settle nothing, since they would replace what the user approved.
   */
  answered(): void;
  /** The answer could not be used and the user is asked again, so that rules may settle the ask again. */
  reopened(): void;
}

export type AskReply =
  | {
      readonly outcome: 'allow';
      /** The user changed the arguments: the call starts again at validation (spec CA-41). */
      readonly editedInput?: unknown;
      /**
       * The files to write. A proposed file that is missing here is rejected. Absent: everything is
       * approved as proposed.
       */
      readonly approved?: readonly ApprovedFile[];
      /** Why single hunks were rejected, for the model. */
      readonly reasons?: readonly HunkReason[];
      /** The ids of entries that the user leaves out. Absent: all are approved. */
      readonly leftOut?: readonly string[];
    }
  | { readonly outcome: 'reject'; readonly reason?: string }
  /** Not this, but the command without the sandbox, which asks again. */
  | { readonly outcome: 'outside' }
  | { readonly outcome: 'cancelled' };

/** Who settled an ask: the user (or the end of the turn), or newly stored rules. */
export type AskResult<Settled> =
  | { readonly by: 'user'; readonly reply: AskReply }
  | { readonly by: 'rules'; readonly settled: Settled };

/**
 * Asks the user and waits until the ask is settled: by the answer, the end of the turn, or stored
 * rules. `reevaluate` returns undefined while the user must still be asked; its errors are rethrown.
 */
export async function askUser<Settled>(
  ask: AskUser,
  details: AskDetails,
  signal: AbortSignal,
  reevaluate: () => Promise<Settled | undefined>,
): Promise<AskResult<Settled>> {
  if (signal.aborted) return { by: 'user', reply: { outcome: 'cancelled' } };
  const ended = Promise.withResolvers<AskResult<Settled>>();
  const withdrawn = new AbortController();
  let state: 'pending' | 'answered' | 'ended' = 'pending';
  // A later click has no effect (spec VC-39).
  const onAbort = () => ended.resolve({ by: 'user', reply: { outcome: 'cancelled' } });
  signal.addEventListener('abort', onAbort, { once: true });

  async function settleByRules(): Promise<void> {
    if (state !== 'pending') return;
    try {
      const settled = await reevaluate();
      if (settled === undefined || state !== 'pending') return;
      ended.resolve({ by: 'rules', settled });
      withdrawn.abort();
    } catch (fault) {
      if (state !== 'pending') return;
      ended.reject(fault);
      withdrawn.abort();
    }
  }

  const answered = () => {
    if (state === 'pending') state = 'answered';
  };
  const reopened = () => {
    if (state !== 'answered') return;
    state = 'pending';
    // Rules may have been stored meanwhile.
    void settleByRules();
  };
  const request = { ...details, reevaluate: settleByRules, answered, reopened };
  ask(request, AbortSignal.any([signal, withdrawn.signal])).then(
    (reply) => ended.resolve({ by: 'user', reply }),
    (fault: unknown) => ended.reject(fault),
  );
  try {
    return await ended.promise;
  } finally {
    state = 'ended';
    signal.removeEventListener('abort', onAbort);
  }
}
