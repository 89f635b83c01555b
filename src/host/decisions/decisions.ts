import path from 'node:path';
import type { Disposable } from '../../base/disposable.ts';
import type { DecisionEvent } from '../../gate/decisionEvent.ts';
import { createDecisionTrace } from './decisionTrace.ts';
import { openRuleHits, type RuleHits } from './ruleHits.ts';

/** What is kept of the gate's decisions. */
export interface Decisions extends Disposable {
  /** How often each rule decided something. */
  readonly ruleHits: RuleHits;
  /** Keeps a decision, in any session. Never throws, and writes nothing before it returns. */
  record(event: DecisionEvent): void;
}

export interface DecisionsOptions {
  /** The host's own folder, which no agent reaches. */
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  warn(message: string): void;
}

export function openDecisions({ state, env, warn }: DecisionsOptions): Decisions {
  const ruleHits = openRuleHits(path.join(state, 'rule-hits.json'), { warn });
  const trace = createDecisionTrace(env['GATEHOUSE_TRACE'], warn);
  return {
    ruleHits,
    record(event) {
      ruleHits.note(event);
      trace.write(event);
    },
    dispose() {
      trace.dispose();
      ruleHits.dispose();
    },
  };
}
