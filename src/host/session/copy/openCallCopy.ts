import { type Outcome, success } from '../../../base/outcome.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { Admitted } from '../../../gate/admit.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import type { ContentRoom } from '../../../recorder/entries.ts';
import type { ConfinedStart, Cut } from '../../../runtime/confined.ts';
import type { SessionRuntime } from '../../../runtime/local/createRuntime.ts';
import type { Gate, Runtime } from '../../../runtime/runtime.ts';
import type { SessionCopy } from '../../../runtime/sandbox/copy.ts';
import type { Had } from '../../../runtime/sandbox/sandbox.ts';
import { toWaitingEgress, UserWaiting } from '../../../runtime/waiting.ts';
import { createFolderChecker } from '../../../runtime/workers/folderChecker.ts';
import type { UnreviewedWrites } from '../../../tools/call.ts';
import type { CallCopy } from '../../../tools/copy/callCopy.ts';
import { findMasks } from './findMasks.ts';
import { dropAll, settleCopy } from './settleCopy.ts';

export interface CallCopyParts {
  readonly toolCallId: string;
  readonly admitted: Admitted;
  readonly copy: SessionCopy;
  readonly runtime: SessionRuntime;
  readonly context: GateContext;
  /** What can be kept of the call's changes to revert them. */
  contentRoom(): ContentRoom;
  /** Absent: what is written unasked awaits no review. */
  noteWrites?(): UnreviewedWrites;
  emit(chunk: Chunk): void;
  readonly signal: AbortSignal;
}

/** Waits for the session's copy and lends it to a call, until its changes are settled. */
export async function openCallCopy(parts: CallCopyParts): Promise<Outcome<CallCopy>> {
  const { toolCallId, admitted, context, signal, emit, contentRoom, noteWrites } = parts;
  const opened = await parts.copy.hold(signal);
  if (!opened.ok) return opened;
  const held = opened.data;
  try {
    const starts = watchStarts();
    // While the sandbox is built: each takes as long in a large workspace.
    const look = createLook(context, signal);
    const waiting = new UserWaiting();
    const toRuntime = (gate?: Gate): Runtime => {
      const egress = gate && toWaitingEgress(gate, waiting);
      const confined = held.start({ ...look, ...(egress && { egress }) });
      const start = { ...starts.watch(confined), waiting };
      return parts.runtime.runtime(toolCallId, signal, emit, admitted.gate, start);
    };
    const settling = {
      ...{
        toolCallId,
        held,
        context,
        signal,
        contentRoom,
        title: admitted.shown.title ?? toolCallId,
      },
      ...(noteWrites && { noteWrites }),
      runtime: (gate: Gate, ends: AbortSignal) =>
        parts.runtime.diskRuntime(toolCallId, ends, emit, gate),
    };
    let networked = false;
    return success({
      runtime: toRuntime(),
      async settle(ended) {
        const { fault, stopped } = starts.seen();
        // The user wants no more of it, in the copy or for real.
        if (stopped || signal.aborted) return settleCopy(settling, { ...ended, stopped, fault });
        // What the sandbox could not start has changed nothing.
        if (fault !== undefined) return { type: 'forReal', why: fault };
        if (networked || !ended.failed || !held.report()?.wantedNetwork) {
          return settleCopy(settling, ended);
        }
        networked = true;
        // It begins with the workspace again, or it would meet what it made itself.
        const emptied = await dropAll(settling);
        if (!emptied.ok) return { type: 'kept', files: 0, notes: [emptied.error] };
        // The gate asks about each host by its name.
        return { type: 'again', runtime: toRuntime(admitted.gate) };
      },
      release: held.release,
    });
  } catch (fault) {
    held.release();
    throw fault;
  }
}

/** The host's own: what sessions look at is mostly the same workspace. */
const checker = createFolderChecker();

/** Finds what is hidden from commands, and knows what was there then. */
function createLook(context: GateContext, signal: AbortSignal) {
  let had: Had | undefined;
  return {
    async masks() {
      const found = await findMasks({ ...context, checker }, signal);
      had = found.had;
      return found.masks;
    },
    had: (file: string, id?: string) => had?.(file, id),
  };
}

/** Knows why the sandbox did not start a command, and whether the user stopped it. */
function watchStarts() {
  let fault: string | undefined;
  let stopped = false;
  const watched = <Data>(outcome: Outcome<Data>): Outcome<Data> => {
    if (!outcome.ok) fault = outcome.error;
    return outcome;
  };
  return {
    seen: () => ({ fault, stopped }),
    watch: (confined: ConfinedStart): ConfinedStart => ({
      ...confined,
      async prepare(launch) {
        const prepared = watched(await confined.prepare(launch));
        if (!prepared.ok) return prepared;
        const after = async (cut?: Cut) => {
          stopped ||= cut === 'user';
          return watched(await prepared.data.after(cut));
        };
        return success({ ...prepared.data, after });
      },
    }),
  };
}
