import path from 'node:path';
import {
  createRedaction,
  type Redact,
  redactValues,
  secretValues,
} from '../../declared/run/redact.ts';
import type { DecisionEvent } from '../../gate/decisionEvent.ts';
import { type DecisionLog, openDecisionLog } from './decisionLog.ts';
import { createDecisionTrace } from './decisionTrace.ts';
import { openRuleHits, type RuleHits } from './ruleHits.ts';
import { createSpans, type Spans } from './spans.ts';

/** What is kept of the gate's decisions. */
export interface Decisions {
  /** How often each rule decided something. */
  readonly ruleHits: RuleHits;
  readonly log: Pick<DecisionLog, 'read' | 'rules' | 'remove'>;
  /** How long sessions, turns, calls and decisions take. */
  readonly spans: Omit<Spans, 'decided' | 'dispose'>;
  /** Keeps a decision, in any session. Never throws, and writes nothing before it returns. */
  record(event: DecisionEvent): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

export interface DecisionsOptions {
  /** The host's own folder, which no agent reaches. */
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** The secrets that the host holds at the moment. */
  secrets(): readonly string[];
  warn(message: string): void;
}

export function openDecisions({ state, env, secrets, warn }: DecisionsOptions): Decisions {
  const ruleHits = openRuleHits(path.join(state, 'rule-hits.json'), { warn });
  const trace = createDecisionTrace(env['GATEHOUSE_TRACE'], warn);
  const spans = createSpans(env['GATEHOUSE_TRACE'], warn);
  const redact = createLogRedaction(env, secrets);
  const log = openDecisionLog({ folder: path.join(state, 'decisions'), redact, warn });
  return {
    ruleHits,
    log,
    spans,
    record(event) {
      ruleHits.note(event);
      trace.write(event);
      spans.decided(event);
      log.write(event);
    },
    async close() {
      trace.dispose();
      spans.dispose();
      ruleHits.dispose();
      await log.close();
    },
  };
}

/** Replaces the host's secrets, those of its environment, and tokens of known forms. */
function createLogRedaction(env: NodeJS.ProcessEnv, secrets: () => readonly string[]): Redact {
  const known = createRedaction(env);
  const inherited = redactValues(secretValues(Object.keys(env), env));
  return (text) => redactValues(secrets())(inherited(known(text)));
}
