import { toCodeSpan, toTargetSpan } from '../../base/codeSpan.ts';
import { getToolFacts } from '../../base/tools/toolFacts.ts';
import {
  decide,
  isStricter,
  type RuleDecision,
  type RuleQuery,
  UNMATCHED,
} from '../decide/decide.ts';
import { decideAsRead } from '../decide/decideRead.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { withOtherNames } from '../decide/otherNames.ts';
import { isInWorkspace } from '../decide/outsideFiles.ts';
import {
  guardFiles,
  parseAddress,
  type SubjectResult,
  toSubjectResult,
} from '../decide/subjectResult.ts';
import { isPrivateHost } from '../patterns/hostPattern.ts';
import { type RealPath, resolvePath } from '../patterns/paths.ts';
import { findUrlFault } from '../patterns/urlFault.ts';
import type { CompiledPolicy } from '../rules/compiledPolicy.ts';
import { type NamingRule, namesPermission, parseRule } from '../rules/compiledRule.ts';
import type { Call } from '../rules/policy.ts';
import type { CapabilitySet } from '../rules/requirements.ts';
import { type Rule, toRuleSpan } from '../rules/rule.ts';
import { toRuleList } from '../rules/ruleList.ts';
import type { CapabilityScope } from '../rules/scope.ts';
import type { Subject } from '../rules/subject.ts';
import { prepareCommand } from './evaluateCommand.ts';

/** Evaluates one prepared subject. Can be called again, also with other rules. */
export type SubjectEvaluator = (compiled: Evaluation) => readonly SubjectResult[];

/** Prepares one declared subject. A command line yields one result for each thing it would do. */
export async function prepare(
  subject: Subject,
  call: Call,
  evaluation: Evaluation,
): Promise<SubjectEvaluator> {
  const evaluate = await prepareAny(subject, call, evaluation);
  // Only tools of servers and manifests may have the name of one that the workspace brings.
  if (subject.identity === undefined && subject.match !== 'text') return evaluate;
  return (compiled) => evaluateBound(evaluate, subject, compiled);
}

async function prepareAny(
  subject: Subject,
  call: Call,
  evaluation: Evaluation,
): Promise<SubjectEvaluator> {
  switch (subject.match) {
    case 'path':
      return (compiled) => withoutLoose(subject, evaluatePath(subject, call, compiled));
    case 'host':
      return (compiled) => withoutLoose(subject, evaluateUrl(subject, compiled));
    case 'command':
      return prepareCommand(subject, evaluation);
    case 'text':
      return (compiled) => withoutLoose(subject, evaluateText(subject, call, compiled));
  }
}

/**
 * Evaluates a tool that the workspace brings without the rules that were stored for another one of its name: for a server
 * of the user's that is gone, for one.
 */
function evaluateBound(
  evaluate: SubjectEvaluator,
  { permission, capability, identity }: Subject,
  compiled: Evaluation,
): readonly SubjectResult[] {
  const { rules, policy } = compiled;
  const isForOther = (rule: Rule) =>
    isAnswer(rule)
      ? rule.identity !== identity
      : identity !== undefined &&
        (isForServer(rule, permission) ||
          (isForOneTool(rule, compiled) && policy.isStoredFor?.(rule, identity) !== true));
  const isOther = (each: NamingRule) =>
    namesPermission(each, permission, capability) && isForOther(each.rule);
  if (!rules.all.some(isOther)) return evaluate(compiled);
  const own = toRuleList(rules.all.filter((each) => !isOther(each)));
  const all = evaluate(compiled);
  return evaluate({ ...compiled, rules: own }).map((result, at) => {
    const rule = all[at]?.subject.decision === 'allow' ? all[at].subject.rule : undefined;
    const isOpen = result.subject.decision === 'ask' && result.subject.rule === undefined;
    if (rule === undefined || !isOpen) return result;
    const from = identity === undefined ? '' : ' This one comes from the workspace.';
    const why = `The rule ${toRuleSpan(rule)} is for another tool of this name.${from}`;
    return { ...result, why };
  });
}

/** Whether an allow is an answer for the session about one tool or server. */
function isAnswer({ action, origin, permission, fallback }: Rule): boolean {
  const isOfSession = action === 'allow' && origin?.layer === 'session' && fallback !== true;
  return isOfSession && namesOneTool(permission);
}

/** Whether an allow is for a server, and the tool is one that a manifest declares under such a name. */
function isForServer({ action, permission }: Rule, tool: string): boolean {
  return action === 'allow' && permission.startsWith('mcp:') && !tool.includes(':');
}

/** Whether an allow of the user's settings or agents names a tool or a server, and not a capability or all of them. */
function isForOneTool(rule: Rule, compiled: Evaluation): boolean {
  if (rule.action !== 'allow' || !isOfUser(rule, compiled)) return false;
  return namesOneTool(rule.permission);
}

/** Whether a permission names a tool or a server, and not a capability or all of them. */
function namesOneTool(permission: string): boolean {
  return !/^\*|^mcp:?\*|^[a-z]+\.[a-z_*]+$/.test(permission);
}

/** An agent of the workspace was accepted together with the tools that it names. */
function isOfUser({ origin }: Rule, compiled: Evaluation): boolean {
  if (origin?.layer !== 'manifest') return origin?.layer === 'user';
  return origin.file !== undefined && !isInWorkspace(origin.file, compiled);
}

function evaluateText(subject: Subject, call: Call, compiled: Evaluation): SubjectResult {
  const question: RuleQuery = { ...toAsker(subject), match: 'text', text: subject.target };
  const decision = decide(question, compiled.rules, compiled.policy.platform);
  // Tools that only touch the session itself need no rule (spec decision 9).
  const free = getToolFacts(call.tool)?.session === true && decision.rule === undefined;
  const result = free
    ? toSubjectResult(
        subject,
        'allow',
        undefined,
        `The tool "${call.tool}" only affects this session.`,
      )
    : toSubjectResult(subject, decision.action, decision.rule);
  return withCapability(
    { ...result, source: { kind: 'text' } },
    subject,
    compiled,
    (scope, name) =>
      name === 'shell.run' && subject.argv !== undefined
        ? scope.allowsCommand(subject.argv)
        : scope.allowsCapability(name),
  );
}

function evaluatePath(subject: Subject, call: Call, compiled: Evaluation): SubjectResult {
  const { folders, platform } = compiled.policy;
  const { links } = compiled;
  const resolved =
    subject.resolved ?? resolvePath(subject.target, { cwd: folders.cwd, platform, links });
  if (!resolved.ok) {
    const result = toSubjectResult(subject, 'ask', undefined, resolved.error);
    return compiled.scope === undefined ? result : { ...result, refused: resolved.error };
  }
  const { path } = resolved;
  const { inode = resolved.inode, unsaved } = subject;
  const own = { ...(inode && { inode }), ...(unsaved !== undefined && { unsaved }) };
  const file = withOtherNames({ ...resolved, ...own }, compiled);
  const writes = subject.capability === 'fs.write';
  const decision = decideFile(subject, file, call, compiled);
  const found = toSubjectResult(subject, decision.action, decision.rule);
  // A search starts at a folder, so even the narrowest rule covers everything below it.
  const folder = getToolFacts(subject.permission)?.search !== undefined;
  const source = { kind: 'path', writes, path, folder } as const;
  const result = guardFiles({ ...found, source }, file, writes, compiled);
  return withCapability(result, subject, compiled, (scope, name) => {
    if (name === 'fs.write') return scope.allowsWrite(path);
    return name === 'fs.read' ? scope.allowsRead(path) : scope.allowsCapability(name);
  });
}

/** For a subject that only tightens, an ask or deny counts if it isn't about the call's own tool anyway. */
function decideFile(
  subject: Subject,
  file: RealPath,
  { tool }: Call,
  compiled: Evaluation,
): RuleDecision {
  const own = decidePath(subject, file, compiled);
  const { capability, tightensOnly } = subject;
  const isOwn = (rule: NamingRule) => namesPermission(rule, tool, capability);
  if (!tightensOnly || own.action === 'allow' || own.rule === undefined) return own;
  if (!isOwn(parseRule(own.rule))) return own;
  const { rules } = compiled;
  const others = rules.all.filter((each) => each.rule.action === 'allow' || !isOwn(each));
  return decidePath(subject, file, { ...compiled, rules: toRuleList(others) });
}

/** An ask or deny for `read` also applies to searches that return file contents. */
function decidePath(subject: Subject, file: RealPath, compiled: Evaluation): RuleDecision {
  const question = { ...toAsker(subject), match: 'path', ...file } as const;
  const own = decide(question, compiled.rules, compiled.policy.platform);
  if (getToolFacts(subject.permission)?.search !== 'contents') return own;
  const read = decideAsRead(question, own, compiled);
  return read !== undefined && isStricter(read.action, own.action) ? read : own;
}

function evaluateUrl(subject: Subject, compiled: Evaluation): SubjectResult {
  const address = parseAddress(subject.target);
  if (address === undefined) {
    const unknown = `Gatehouse can't tell the host of ${toCodeSpan(subject.target)}.`;
    const result = toSubjectResult(subject, 'ask', undefined, unknown);
    return (compiled.scope?.allowsAnyHost ?? true) ? result : { ...result, refused: unknown };
  }
  const question: RuleQuery = { ...toAsker(subject), match: 'host', ...address };
  const decision = decide(question, compiled.rules, compiled.policy.platform);
  // Wildcards never match a private address; only a rule that names the host does (spec decision
  // 7).
  const why =
    decision.rule === undefined && isPrivateHost(address.host)
      ? `${toCodeSpan(address.host)} is a private address. Only a rule that names it can allow it.`
      : undefined;
  const result = withFault(
    toSubjectResult(subject, decision.action, decision.rule, why),
    subject,
    compiled,
  );
  return withCapability({ ...result, source: { kind: 'host' } }, subject, compiled, (scope) =>
    scope.allowsHost(address.host, address.port),
  );
}

/** Nothing, if the subject only tightens and no rule does: no rule must be offered for it. */
function withoutLoose(subject: Subject, result: SubjectResult): readonly SubjectResult[] {
  return subject.tightensOnly === true && isLoose(result) ? [] : [result];
}

function isLoose({ subject: { decision, rule }, refused }: SubjectResult): boolean {
  return refused === undefined && (decision === 'allow' || rule === undefined);
}

/** Asks about a URL that its host's rule allows but that can't be fetched safely. */
function withFault(
  result: SubjectResult,
  { permission, target }: Subject,
  compiled: Evaluation,
): SubjectResult {
  if (result.subject.decision !== 'allow' || !URL.canParse(target)) return result;
  const fault = findUrlFault(target, new URL(target));
  if (fault === undefined) return result;
  const asked = toSubjectResult({ permission, target }, 'ask', undefined, fault);
  return (compiled.scope?.allowsAnyHost ?? true) ? asked : { ...asked, refused: fault };
}

/**
 * Evaluates an address that a host name resolved to. Only rules that name the address count:
 * denying every host but one must still allow the addresses of that one.
 */
export function evaluateAddress(
  url: string,
  tool: string,
  { rules, policy }: CompiledPolicy,
): RuleDecision {
  const address = parseAddress(url);
  if (address === undefined) return UNMATCHED;
  const naming = rules.all.filter((each) => {
    return each.rule.action === 'allow' || each.host()?.host !== '*';
  });
  const question = { tool, capability: 'net.fetch', match: 'host', ...address } as const;
  return decide(question, toRuleList(naming), policy.platform);
}

function toAsker(subject: Subject) {
  return { tool: subject.permission, capability: subject.capability };
}

function withCapability(
  result: SubjectResult,
  subject: Subject,
  compiled: Evaluation,
  grants: (scope: CapabilityScope, name: string) => boolean,
): SubjectResult {
  if (compiled.scope === undefined || subject.capability === undefined) return result;
  if (grants(compiled.scope, subject.capability)) return result;
  const refused = `${subject.capability} of ${toTargetSpan(subject.target)}.`;
  const why = findReadOnly(compiled.policy.capabilities, subject.capability);
  return { ...result, refused: `${refused}${why ?? describeScope(subject, compiled.scope)}` };
}

/** The reason of the set, or of one that it lies within, if it refuses everything but reading. */
function findReadOnly(set: CapabilitySet | undefined, capability: string): string | undefined {
  if (set === undefined || capability === 'fs.read') return undefined;
  return set.readOnly === undefined ? findReadOnly(set.within, capability) : ` ${set.readOnly}`;
}

/** Where the call may reach instead, and what the user can do. */
function describeScope({ capability, match }: Subject, scope: CapabilityScope): string {
  if (match !== 'path') return '';
  const access = capability === 'fs.write' ? 'fs.write' : 'fs.read';
  const verb = access === 'fs.read' ? 'read' : 'write';
  return ` It may ${verb} ${scope.describeFiles(access)}. Files elsewhere need their folder opened in the editor, or a definition of the agent that grants it.`;
}
