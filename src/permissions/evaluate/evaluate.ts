import { isStricter } from '../decide/decide.ts';
import { type Evaluation, startEvaluation } from '../decide/evaluation.ts';
import { findNearRule } from '../decide/nearRule.ts';
import { loadPublicSuffixes } from '../decide/parentSite.ts';
import { describeDecision, type SubjectResult } from '../decide/subjectResult.ts';
import { type CompiledPolicy, withRules } from '../rules/compiledPolicy.ts';
import type { Call, Decision, NearRule, Offers, Policy, StoredRule } from '../rules/policy.ts';
import { findCandidates, findOffers } from './candidates.ts';
import { prepare, type SubjectEvaluator } from './evaluateSubject.ts';
import { toDetails } from './risk.ts';

/**
 * Decides one call. Every subject is evaluated by itself, each simple command of a command line
 * too; the strictest result decides (spec CA-3). The capability layer comes first, and no rule
 * lifts its refusal (spec C-62). Reads links, file types and listings of folders, and only files of
 * git and ignore files.
 */
export async function evaluate(call: Call, compiled: CompiledPolicy): Promise<Decision> {
  const started = await start(call, compiled);
  if (started.results.some(asksAboutHost)) await loadPublicSuffixes();
  const failedOffers = await findFailedOffers(started.results, call, compiled);
  if (failedOffers.size === 0) return toDecision(started, call);
  const evaluation = { ...started.evaluation, failedOffers };
  return toDecision(toResults(started.evaluators, evaluation), call);
}

function asksAboutHost({ subject, source }: SubjectResult): boolean {
  return subject.decision === 'ask' && source?.kind === 'host';
}

/** The results for the subjects of a call, and how to get them again. */
interface Started {
  readonly evaluators: readonly SubjectEvaluator[];
  readonly evaluation: Evaluation;
  readonly results: readonly SubjectResult[];
}

async function start(call: Call, compiled: CompiledPolicy): Promise<Started> {
  const evaluation = startEvaluation(compiled);
  const evaluators: SubjectEvaluator[] = [];
  for (const subject of call.subjects) evaluators.push(await prepare(subject, call, evaluation));
  return toResults(evaluators, evaluation);
}

function toResults(evaluators: readonly SubjectEvaluator[], evaluation: Evaluation): Started {
  const results: SubjectResult[] = [];
  for (const each of evaluators) for (const result of each(evaluation)) results.push(result);
  return { evaluators, evaluation, results };
}

/** Maximum number of lines that are offered instead of one line. */
const OFFER_LIMIT = 4;

/** The lines that the results offer and that would not pass, evaluated like the call itself. */
async function findFailedOffers(
  results: readonly SubjectResult[],
  call: Call,
  compiled: CompiledPolicy,
): Promise<ReadonlySet<string>> {
  const offered = [...new Set(results.flatMap(({ instead }) => instead ?? []))];
  const failed = new Set(offered.slice(OFFER_LIMIT));
  const [subject, ...others] = call.subjects;
  for (const target of offered.slice(0, OFFER_LIMIT)) {
    const again: Call = { ...call, input: { command: target }, subjects: [{ ...subject, target }] };
    const trial = others.length === 0 ? (await start(again, compiled)).results : [];
    const passes = trial.length > 0 && trial.every((each) => mayPass(each, compiled.policy));
    if (!passes) failed.add(target);
  }
  return failed;
}

/** Whether the result is an allow, or asks only because no rule covers the command. */
function mayPass(result: SubjectResult, { headless }: Policy): boolean {
  const { subject, why, refused, watchdog, source } = result;
  if (refused !== undefined) return false;
  if (subject.decision === 'allow') return true;
  const isUncovered = subject.decision === 'ask' && subject.rule === undefined && why === undefined;
  return !headless && isUncovered && watchdog !== true && source?.kind === 'command';
}

function toDecision({ evaluators, evaluation: compiled, results }: Started, call: Call): Decision {
  const { policy } = compiled;
  const refused = results.find((each) => each.refused !== undefined);
  const subjects = results.map(({ subject }) => subject);
  const details = () => toDetails(results, compiled);
  if (refused?.refused !== undefined) {
    const reason = `The agent's capabilities don't allow this call: ${refused.refused}`;
    return {
      decision: 'refuse',
      layer: 'capability',
      reason,
      subjects,
      ...NOTHING_OFFERED,
      details,
    };
  }
  const [first, ...others] = results;
  if (first === undefined) throw new Error('A call without subjects cannot be evaluated.');
  const strictest = others.reduce(
    (most, each) => (isStricter(each.subject.decision, most.subject.decision) ? each : most),
    first,
  );
  const asked = strictest.subject.decision;
  const decision = asked === 'ask' && policy.headless ? 'deny' : asked;
  const why = describeDecision(strictest, results);
  return {
    decision,
    layer: strictest.watchdog === true ? 'watchdog' : 'rules',
    reason:
      asked === decision ? why : `${why} No user is available to approve it, so it is denied.`,
    ...(strictest.subject.rule !== undefined && { rule: strictest.subject.rule }),
    ...(strictest.instead !== undefined && { instead: strictest.instead }),
    ...(asked !== decision && { headless: true as const }),
    subjects,
    // Not getters: they would give every decision its own hidden class, which stays in memory with
    // everything it references until a full garbage collection.
    ...(decision === 'ask' ? toOffers(results, evaluators, compiled) : NOTHING_OFFERED),
    ...(decision === 'ask' && { near: () => findNear(results, call, compiled) }),
    details,
  };
}

/** Of a call with many parts, the first ones are looked at. */
const NEAR_LIMIT = 8;

function findNear(
  results: readonly SubjectResult[],
  { subjects }: Call,
  compiled: Evaluation,
): NearRule | undefined {
  const asking = results.filter(({ subject }) => subject.decision === 'ask').slice(0, NEAR_LIMIT);
  for (const result of asking) {
    const { permission } = result.subject;
    const own = subjects.find((subject) => subject.permission === permission);
    const near = own && findNearRule(result, own, compiled);
    if (near !== undefined) return near;
  }
  return undefined;
}

/** A decision that no stored rule changes. */
export const NOTHING_OFFERED: Pick<Decision, 'candidates' | 'offers'> = {
  candidates: () => [],
  offers: () => ({ allow: [], deny: [] }),
};

function toOffers(
  results: readonly SubjectResult[],
  evaluators: readonly SubjectEvaluator[],
  compiled: Evaluation,
): Pick<Decision, 'candidates' | 'offers'> {
  const evaluateWith = (rules: readonly StoredRule[]) => {
    const trial = withRules(
      compiled,
      rules.map((rule) => ({ ...rule, source: 'session', added_at: Number.MAX_SAFE_INTEGER })),
    );
    return evaluators.flatMap((evaluateNow) => evaluateNow(trial));
  };
  const allows = (rules: readonly StoredRule[]) =>
    evaluateWith(rules).every(
      ({ subject, refused }) => refused === undefined && subject.decision === 'allow',
    );
  const denies = (rules: readonly StoredRule[]) =>
    evaluateWith(rules).some(({ subject }) => subject.decision === 'deny');
  let offers: Offers | undefined;
  return {
    candidates: () => findCandidates(results, compiled.policy, allows),
    offers() {
      offers ??= findOffers(results, compiled.policy, { allows, denies });
      return offers;
    },
  };
}
