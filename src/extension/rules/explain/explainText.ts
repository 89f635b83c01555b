import type { LoggedDecision } from '../../../acp/gatehouse/explain.ts';
import { toVisible } from '../../../base/text/visibleText.ts';
import { type Explained, explainedLines } from '../../../base/tools/explained.ts';
import type { Translate } from '../../text/translate.ts';

/** The document about a call that wasn't made: below its title, exactly what `gatehouse explain` prints. */
export function toExplainedText(title: string, explained: Explained): string {
  return [show(title), '', ...explainedLines(explained), ''].join('\n');
}

/** The document about the decisions on one call, with the rules that were in force. */
export function toDecisionText(decisions: readonly LoggedDecision[], t: Translate): string {
  const [first] = decisions;
  if (first === undefined) return '';
  const blocks = decisions.map((decision) => [
    toSettledText(decision, t),
    '',
    ...explainedLines(toEvaluated(decision)),
  ]);
  return [
    show(toDecisionTitle(first)),
    '',
    ...blocks.flatMap((lines) => [...lines, '']),
    ...toRulesText(first, t),
    '',
  ].join('\n');
}

/** The tool and what the call touched, on one line. */
export function toDecisionTitle({ tool, subjects }: LoggedDecision): string {
  const [first] = subjects;
  const more = subjects.length > 1 ? ` (+${subjects.length - 1})` : '';
  return show(first === undefined ? tool : `${tool}: ${first.target}${more}`);
}

/** How it was settled, by whom and when. */
export function toSettledText(decision: LoggedDecision, t: Translate): string {
  const { at, by, about, durationMs, userReason } = decision;
  const when = new Date(at).toLocaleString();
  const seconds = (durationMs / 1000).toFixed(1);
  const settled =
    by === 'abort'
      ? t('Stopped before it was answered, at {0}, after {1} s.', when, seconds)
      : t('{0} by {1} at {2}, after {3} s.', decision.decision, by, when, seconds);
  const reached = about === 'touch' ? [t('The running call reached this.')] : [];
  const why = userReason === undefined ? [] : [t('Your reason: {0}', show(userReason))];
  return [settled, ...reached, ...why].join(' ');
}

/** What the rules decided, before the user answered. */
function toEvaluated({ decision, by, layer, reason, rule, subjects }: LoggedDecision): Explained {
  const asked = by === 'user' || by === 'abort' || by === 'review';
  return {
    decision: asked ? 'ask' : decision,
    ...{ layer, reason, subjects },
    ...(rule !== undefined && { rule }),
  };
}

function toRulesText({ rules, inForce = [] }: LoggedDecision, t: Translate): readonly string[] {
  const sources = Object.entries(rules).map(([source, hash]) => `  ${show(source)}  ${hash}`);
  if (sources.length === 0) return [];
  const own = inForce.map(
    ({ action, permission, pattern, origin }) =>
      `  ${action} ${show(`${permission} ${pattern}`)}  [${origin?.layer ?? 'session'}]`,
  );
  return [
    t('Rules in force, by source and hash:'),
    ...sources,
    ...(own.length === 0 ? [] : ['', t('Of these, those that are not shipped:'), ...own]),
  ];
}

function show(text: string): string {
  return toVisible(text.replaceAll('\n', ' ⏎ ')).text;
}
