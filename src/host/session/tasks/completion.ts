import type { Outcome } from '../../../base/outcome.ts';
import { ABORTED_BY_RESTART } from '../../../base/stream/stored.ts';
import type { Recorder } from '../../../recorder/recorder.ts';

/** The message that tells a session how a subagent in the background has ended (spec CS-24). */
export function toSynthetic(agent: string, outcome: Outcome<string>): string {
  if (!outcome.ok) return `The background task (${agent}) failed: ${outcome.error}`;
  return `The background task (${agent}) has finished:\n\n${outcome.data}`;
}

/**
 * Tells a session that is opened again of the subagents that ended with their host (spec CS-26). A subagent that
 * another window runs goes on.
 */
export function tellLostTasks(recorder: Recorder, sessionId: string): void {
  for (const { id, agent } of recorder.backgroundTasks(sessionId)) {
    if (recorder.isWritten(id)) continue;
    recorder.together(() => {
      recorder.closeOrphans(id);
      const text = toSynthetic(agent, { ok: false, error: ABORTED_BY_RESTART });
      recorder.addSynthetic(sessionId, text, { task: id });
      recorder.endBackground(id);
    });
  }
}
