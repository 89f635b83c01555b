import type { RulesQuery, RulesText } from '../../acp/gatehouse/rules.ts';
import { isShipped, shippedRulesText, toRulesText } from '../../permissions/defaults/rulesText.ts';
import { isExactRule } from '../../permissions/rules/exactCall.ts';
import { parseRules } from '../../permissions/rules/parseRules.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import type { OpenHost } from './openHost.ts';

/** The shipped rules, or the rules that only this session has. Throws if the session isn't open. */
export function rulesDocument(host: OpenHost, { sessionId }: RulesQuery): RulesText {
  return { text: sessionId === undefined ? shippedRulesText() : sessionText(host, sessionId) };
}

const INTRO = [
  'The rules that only this session has. This document is read-only.',
  'Shipped rules and those of your settings apply too.',
];

function sessionText({ services, sessions }: OpenHost, sessionId: string): string {
  const { rules } = sessions.get(sessionId).policy([]);
  const stored = parseRules(services.recorder.permissions(sessionId), 'session').rules;
  const answers = stored.filter((rule) => !isExactRule(rule));
  const has = (layer: string) => rules.filter(({ origin }) => origin?.layer === layer);
  return toRulesText(INTRO, [
    {
      title: 'Saved by your answers in this session',
      why: '',
      rules: answers,
    },
    {
      title: 'Saved by your answers about one exact call',
      why: 'They decide about calls with the same arguments only.',
      rules: stored.filter(isExactRule),
    },
    {
      title: 'Of the approval mode',
      why: '',
      rules: has('session').filter((rule) => !answers.some((each) => isEqual(each, rule))),
    },
    { title: "Of the session's agent", why: '', rules: has('manifest') },
    {
      title: "Of the session's own folder",
      why: 'It has one while no folder is open.',
      rules: has('default').filter((rule) => !isShipped(rule)),
    },
  ]);
}

function isEqual(a: Rule, b: Rule): boolean {
  return a.permission === b.permission && a.pattern === b.pattern && a.action === b.action;
}
