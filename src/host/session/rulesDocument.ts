import type { RulesQuery, RulesText } from '../../acp/gatehouse/rules.ts';
import { isShipped, shippedRulesText, toRulesText } from '../../permissions/defaults/rulesText.ts';
import { isExactRule } from '../../permissions/rules/exactCall.ts';
import { parseRules } from '../../permissions/rules/parseRules.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import { listAllowRules } from '../config/workspaceRules.ts';
import type { OpenHost } from './openHost.ts';

/**
 * The shipped rules, the rules that only one session has, or those of a workspace's settings file that
 * need acceptance. Throws if the session isn't open.
 */
export function rulesDocument(host: OpenHost, query: RulesQuery): RulesText {
  const { sessionId, file, accepted } = query;
  if (file !== undefined) return { text: workspaceText(host, file, accepted === true) };
  return { text: sessionId === undefined ? shippedRulesText() : sessionText(host, sessionId) };
}

const WORKSPACE_INTRO = [
  'The allow rules of this workspace. This document is read-only.',
  'They have no effect until you accept them. Rules that ask or deny need no acceptance.',
];

function workspaceText({ services }: OpenHost, file: string, accepted: boolean): string {
  const { acceptances, configuration, data } = services;
  const rules = accepted
    ? acceptances.keptRules(file)
    : listAllowRules(configuration.current(data.scratch), file).map(({ rule }) => rule);
  const stored = rules.map((rule): Rule => ({ ...rule, source: 'project' }));
  return toRulesText(WORKSPACE_INTRO, [{ title: '', why: '', rules: stored, inOrder: true }]);
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
