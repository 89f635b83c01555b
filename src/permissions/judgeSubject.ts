import { namesPermission } from './compiledRule.ts';
import { type Decision, decide, type Question, UNMATCHED } from './decide.ts';
import { isPrivateHost } from './hostPattern.ts';
import { prepareCommand } from './judgeCommand.ts';
import { type Law, toLaw } from './law.ts';
import { withOtherNames } from './otherNames.ts';
import { type Place, resolvePath } from './paths.ts';
import type { Call, Policy } from './policy.ts';
import type { CapabilityScope } from './scope.ts';
import type { Subject } from './subject.ts';
import { findUrlFault } from './urlFault.ts';
import { guardFiles, parseAddress, toVerdict, type Verdict } from './verdict.ts';

/** Judges one subject that was read already, under any law; it may be asked again. */
export type Judge = (law: Law) => readonly Verdict[];

/** Reads one declared subject; a command line yields one verdict for each thing it would do. */
export async function prepare(subject: Subject, call: Call, policy: Policy): Promise<Judge> {
  switch (subject.match) {
    case 'path':
      return (law) => [judgePath(subject, law)];
    case 'host':
      return (law) => {
        const verdict = judgeUrl(subject, law);
        return subject.tightensOnly === true && isLoose(verdict) ? [] : [verdict];
      };
    case 'command':
      return prepareCommand(subject, policy);
    case 'text':
      return (law) => [judgeText(subject, call, law)];
  }
}

/** Tools that only touch the session itself: allowed when no rule matches (decision 9). */
const SESSION_TOOLS = new Set(['todo', 'question', 'skill', 'tool_search']);

function judgeText(subject: Subject, call: Call, law: Law): Verdict {
  const question: Question = { ...toAsker(subject), match: 'text', text: subject.target };
  const decision = decide(question, law.rules, law.policy.platform);
  const free = SESSION_TOOLS.has(call.tool) && decision.rule === undefined;
  const verdict = free
    ? toVerdict(subject, 'allow', undefined, `${call.tool} touches only the session.`)
    : toVerdict(subject, decision.action, decision.rule);
  return withCapability({ ...verdict, source: { kind: 'text' } }, subject, law, (scope, name) =>
    scope.allowsCapability(name),
  );
}

/** Tools whose path is a folder, so that even the narrowest rule reaches what lies below it. */
const SEARCHES: ReadonlySet<string> = new Set(['glob', 'grep']);

function judgePath(subject: Subject, law: Law): Verdict {
  const { places, platform } = law.policy;
  const resolved = resolvePath(subject.target, { cwd: places.cwd, platform, links: law.links });
  if (!resolved.ok) {
    const verdict = toVerdict(subject, 'ask', undefined, `${resolved.error}.`);
    return law.scope === undefined ? verdict : { ...verdict, refused: resolved.error };
  }
  const { path } = resolved;
  const { inode = resolved.inode } = subject;
  const place = withOtherNames({ ...resolved, ...(inode && { inode }) }, law);
  const writes = subject.capability === 'fs.write';
  const decision = decidePath(subject, place, law);
  const found = toVerdict(subject, decision.action, decision.rule);
  const folder = SEARCHES.has(subject.permission);
  const source = { kind: 'path', writes, path, folder } as const;
  const verdict = guardFiles({ ...found, source }, place, writes, law);
  return withCapability(verdict, subject, law, (scope, name) => {
    if (name === 'fs.write') return scope.allowsWrite(path);
    return name === 'fs.read' ? scope.allowsRead(path) : scope.allowsCapability(name);
  });
}

/** `grep` shows what a file holds, so a deny of `read` binds it as well. */
function decidePath(subject: Subject, place: Place, { rules, policy }: Law): Decision {
  const question = { ...toAsker(subject), match: 'path', ...place } as const;
  const own = decide(question, rules, policy.platform);
  if (subject.permission !== 'grep' || own.action === 'deny') return own;
  const asRead = { ...question, tool: 'read' } as const;
  if (decide(asRead, rules, policy.platform).action !== 'deny') return own;
  // A deny of the capability was weighed above, where a rule about `grep` is the narrower one.
  const others = rules.filter(
    (rule) => rule.rule.action !== 'deny' || !namesPermission(rule, 'grep', subject.capability),
  );
  const read = decide(asRead, others, policy.platform);
  return read.action === 'deny' ? read : own;
}

function judgeUrl(subject: Subject, law: Law): Verdict {
  const address = parseAddress(subject.target);
  if (address === undefined) {
    const why = `${subject.target} names no host that can be read`;
    const verdict = toVerdict(subject, 'ask', undefined, `${why}.`);
    return law.scope === undefined ? verdict : { ...verdict, refused: why };
  }
  const question: Question = { ...toAsker(subject), match: 'host', ...address };
  const decision = decide(question, law.rules, law.policy.platform);
  // No wide allow matches a private address: only a rule that names the host does (decision 7).
  const why =
    decision.rule === undefined && isPrivateHost(address.host)
      ? `${address.host} is a private address, so only a rule that names it may allow it.`
      : undefined;
  const verdict = withFault(toVerdict(subject, decision.action, decision.rule, why), subject, law);
  return withCapability({ ...verdict, source: { kind: 'host' } }, subject, law, (scope) =>
    scope.allowsHost(address.host, address.port),
  );
}

function isLoose({ subject: { decision, rule }, refused }: Verdict): boolean {
  return refused === undefined && (decision === 'allow' || rule === undefined);
}

/** What is allowed by its host and cannot be fetched all the same. */
function withFault(verdict: Verdict, { permission, target }: Subject, law: Law): Verdict {
  if (verdict.subject.decision !== 'allow' || !URL.canParse(target)) return verdict;
  const fault = findUrlFault(target, new URL(target));
  if (fault === undefined) return verdict;
  const asked = toVerdict({ permission, target }, 'ask', undefined, fault);
  return law.scope === undefined ? asked : { ...asked, refused: fault.replace(/\.$/, '') };
}

/**
 * What rules say of an address that a name led to. Only those that name it count: who forbids every
 * host but one has allowed the addresses of that one.
 */
export function judgeAddress(url: string, tool: string, policy: Policy): Decision {
  const address = parseAddress(url);
  if (address === undefined) return UNMATCHED;
  const { rules } = toLaw(policy);
  const naming = rules.filter((each) => {
    return each.rule.action === 'allow' || each.host()?.host !== '*';
  });
  const question = { tool, capability: 'net.fetch', match: 'host', ...address } as const;
  return decide(question, naming, policy.platform);
}

function toAsker(subject: Subject) {
  return { tool: subject.permission, capability: subject.capability };
}

function withCapability(
  verdict: Verdict,
  subject: Subject,
  law: Law,
  grants: (scope: CapabilityScope, name: string) => boolean,
): Verdict {
  if (law.scope === undefined || subject.capability === undefined) return verdict;
  if (grants(law.scope, subject.capability)) return verdict;
  return { ...verdict, refused: `${subject.capability} of "${subject.target}"` };
}
