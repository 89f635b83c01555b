import {
  type DecisionList,
  type DecisionsQuery,
  type LoggedDecision,
  parseLoggedDecision,
} from '../../acp/gatehouse/explain.ts';
import { WireError } from '../../acp/gatehouse/parse.ts';
import type { HostServices } from '../services/hostServices.ts';

/** The most decisions of an answer. */
const MOST = 2_000;

/** The most rules that are listed with a decision. */
const MOST_RULES = 500;

/** The decisions of a session, open or not, or of one of its calls. */
export async function listDecisions(
  { decisions: { log } }: Pick<HostServices, 'decisions'>,
  { sessionId, toolCallId }: DecisionsQuery,
): Promise<DecisionList> {
  const { lines, damaged } = await log.read(sessionId);
  const parsed = lines.flatMap((line) => toDecision(line) ?? []);
  const found = parsed.filter((each) => toolCallId === undefined || each.toolCallId === toolCallId);
  const newest = found.slice(-MOST);
  return {
    decisions: toolCallId === undefined ? newest : newest.map(withRules),
    older: found.length - newest.length,
    damaged: damaged + lines.length - parsed.length,
  };

  function withRules(decision: LoggedDecision): LoggedDecision {
    const { default: _shipped, ...own } = decision.rules;
    return { ...decision, inForce: log.rules(own).slice(0, MOST_RULES) };
  }
}

function toDecision(line: unknown): LoggedDecision | undefined {
  try {
    return parseLoggedDecision(line);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}
