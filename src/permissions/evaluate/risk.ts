import type { Evaluation } from '../decide/evaluation.ts';
import { describeReason, type SubjectResult } from '../decide/subjectResult.ts';
import { isBelow } from '../patterns/paths.ts';
import type { Risk, SubjectDetail } from '../rules/policy.ts';
import type { CommandAct } from '../shell/acts.ts';
import { toProgramName } from '../shell/bash/command.ts';
import { findEffect } from '../shell/effects.ts';

/** What the user sees of each subject: the decision, the reason and the risk. */
export function toDetails(
  results: readonly SubjectResult[],
  compiled: Evaluation,
): readonly SubjectDetail[] {
  return results.map((result) => {
    const { permission, target, decision } = result.subject;
    const risk = decision === 'ask' ? findRisk(result, compiled) : undefined;
    const reason = describeReason(result);
    return { permission, target, decision, reason, ...(risk && { risk }) };
  });
}

/** Why an asking subject deserves a second look, or undefined. */
function findRisk(
  { subject, source, doubtful, watchdog, guarded }: SubjectResult,
  compiled: Evaluation,
): Risk | undefined {
  if (watchdog === true) return 'watchdog';
  if (guarded === true) return 'protected';
  // A rule that asks doesn't make it any clearer what the command does.
  if (doubtful !== undefined) return findCommandRisk(doubtful, compiled) ?? 'unclear';
  if (source === undefined) return subject.rule === undefined ? 'unclear' : undefined;
  switch (source.kind) {
    case 'command':
      return findCommandRisk(source.act, compiled);
    case 'host':
      return 'network';
    case 'path': {
      const inside = compiled.roots.workspace.some((root) => isBelow(source.path, root));
      return source.writes && !inside ? 'outside' : undefined;
    }
    case 'text':
      return undefined;
  }
}

function findCommandRisk({ words, hosts }: CommandAct, { policy }: Evaluation): Risk | undefined {
  const program = toProgramName(words[0]?.value ?? '', policy.platform);
  return findEffect(program, words) ?? ((hosts?.size ?? 0) > 0 ? 'network' : undefined);
}
