import { decide, type Question, UNMATCHED } from './decide.ts';
import { isPrivateHost, parseHostPattern } from './hostPattern.ts';
import type { Law } from './law.ts';
import { isBelow, resolvePath } from './paths.ts';
import type { Call, JudgedSubject } from './policy.ts';
import { findProtected } from './protected.ts';
import type { Rule } from './rule.ts';
import type { Subject } from './subject.ts';

/** A judged subject, the sentence behind it, and the capability layer's refusal if there is one. */
export interface Verdict {
  readonly subject: JudgedSubject;
  readonly why: string;
  readonly refused?: string;
}

/** Judges one declared subject; a command line yields one verdict for each thing it would do. */
export async function judgeSubject(
  subject: Subject,
  call: Call,
  law: Law,
): Promise<readonly Verdict[]> {
  switch (subject.match) {
    case 'path':
      return [judgePath(subject, law)];
    case 'host':
      return [judgeUrl(subject, law)];
    case 'command':
      return [judgeCommand(subject, law)];
    case 'text':
      return [judgeText(subject, call, law)];
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
  return withCapability(verdict, subject, law, (name) => law.scope?.allowsCapability(name) ?? true);
}

function judgePath(subject: Subject, law: Law): Verdict {
  const { places, platform } = law.policy;
  const resolved = resolvePath(subject.target, { cwd: places.cwd, platform });
  if (!resolved.ok) {
    const verdict = toVerdict(subject, 'ask', undefined, `${resolved.error}.`);
    return law.scope === undefined ? verdict : { ...verdict, refused: resolved.error };
  }
  const { path } = resolved;
  const writes = subject.capability === 'fs.write';
  const decision = decide({ ...toAsker(subject), match: 'path', path }, law.rules, platform);
  const verdict = guardFiles(toVerdict(subject, decision.action, decision.rule), path, writes, law);
  return withCapability(verdict, subject, law, (name) => {
    if (law.scope === undefined) return true;
    if (name === 'fs.write') return law.scope.allowsWrite(path);
    return name === 'fs.read' ? law.scope.allowsRead(path) : law.scope.allowsCapability(name);
  });
}

/** What holds whatever the rules say: the host's own state, and the protected files (decision 11). */
export function guardFiles(verdict: Verdict, path: string, writes: boolean, law: Law): Verdict {
  const { state, sidecars } = law.roots;
  const inState = state !== undefined && isBelow(path, state);
  const ownSidecar = sidecars !== undefined && isBelow(path, sidecars);
  if (inState && (writes || !ownSidecar)) {
    return {
      ...verdict,
      why: 'The host’s own state is out of reach.',
      subject: { ...verdict.subject, decision: 'deny' },
    };
  }
  if (ownSidecar && !writes && verdict.subject.rule === undefined) {
    return {
      ...verdict,
      why: 'A sidecar of this session.',
      subject: { ...verdict.subject, decision: 'allow' },
    };
  }
  const guard = writes ? findProtected(path) : undefined;
  if (guard === undefined || verdict.subject.decision !== 'allow') return verdict;
  const { rule: _rule, ...rest } = verdict.subject;
  return {
    ...verdict,
    why: `${guard} makes the editor, git or an agent trust or run something: writing it always asks.`,
    subject: { ...rest, decision: 'ask' },
  };
}

function judgeUrl(subject: Subject, law: Law): Verdict {
  const address = parseAddress(subject.target);
  if (address === undefined) {
    const why = `${subject.target} names no host that can be read.`;
    const verdict = toVerdict(subject, 'ask', undefined, why);
    return law.scope === undefined ? verdict : { ...verdict, refused: why };
  }
  const question: Question = { ...toAsker(subject), match: 'host', ...address };
  const decision = decide(question, law.rules, law.policy.platform);
  const verdict = toVerdict(subject, decision.action, decision.rule);
  // A wide allow never covers a private address: only a rule that names the host does (decision 7).
  const named =
    decision.rule !== undefined &&
    parseHostPattern(decision.rule.pattern)?.host !== '*' &&
    !/^\*+$/.test(decision.rule.pattern);
  const guarded =
    decision.action === 'allow' && !named && isPrivateHost(address.host)
      ? toVerdict(subject, 'ask', undefined, `${address.host} is a private address.`)
      : verdict;
  return withCapability(
    guarded,
    subject,
    law,
    () => law.scope?.allowsHost(address.host, address.port) ?? true,
  );
}

/** The host and port of a URL or of a bare `host[:port]`; undefined when there is none. */
export function parseAddress(
  target: string,
): { readonly host: string; readonly port: number | undefined } | undefined {
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? target : `http://${target}`);
    if (url.hostname === '') return undefined;
    return {
      host: url.hostname,
      port: url.port === '' ? defaultPort(url.protocol) : Number(url.port),
    };
  } catch {
    return undefined;
  }
}

function defaultPort(protocol: string): number | undefined {
  if (protocol === 'http:' || protocol === 'ws:') return 80;
  return protocol === 'https:' || protocol === 'wss:' ? 443 : undefined;
}

/** Until it is known to be one plain command, a line is never better than ask. */
function judgeCommand(subject: Subject, law: Law): Verdict {
  const text = subject.target.trim();
  const plain = /^[\w./:@,+-]+( [\w./:@,+-]+)*$/.test(text);
  const command = { text, aliases: [text.replace(/^\S*\//, '')], spelled: [], hosts: [] };
  const decision = decide(
    { ...toAsker(subject), match: 'command', command },
    law.rules,
    law.policy.platform,
  );
  const action = plain || decision.action === 'deny' ? decision.action : UNMATCHED.action;
  const verdict = toVerdict(
    subject,
    action,
    action === decision.action ? decision.rule : undefined,
  );
  return withCapability(
    verdict,
    subject,
    law,
    () => law.scope === undefined || (plain && law.scope.allowsCommand(text.split(' '))),
  );
}

function toAsker(subject: Subject) {
  return { tool: subject.permission, capability: subject.capability };
}

export function toVerdict(
  subject: Pick<Subject, 'permission' | 'target'>,
  decision: JudgedSubject['decision'],
  rule: Rule | undefined,
  why = sayRule(decision, rule, subject.target),
): Verdict {
  const { permission, target } = subject;
  return { subject: { permission, target, decision, ...(rule !== undefined && { rule }) }, why };
}

function sayRule(decision: string, rule: Rule | undefined, target: string): string {
  const shown = target.length > 200 ? `${target.slice(0, 200)}…` : target;
  if (rule === undefined) return `No rule decides about "${shown}".`;
  const words = { allow: 'allows', ask: 'asks about', deny: 'denies' }[decision] ?? decision;
  return `The rule "${rule.permission} ${rule.pattern}" ${words} "${shown}".`;
}

function withCapability(
  verdict: Verdict,
  subject: Subject,
  law: Law,
  grants: (name: string) => boolean,
): Verdict {
  if (law.scope === undefined || subject.capability === undefined) return verdict;
  if (grants(subject.capability)) return verdict;
  return { ...verdict, refused: `${subject.capability} of ${subject.target}` };
}
