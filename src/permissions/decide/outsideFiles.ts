import { toTargetSpan } from '../../base/codeSpan.ts';
import { isExactly } from '../patterns/pathPattern.ts';
import { isBelowFolded, type RealPath, resolvePath } from '../patterns/paths.ts';
import type { FileGrant } from '../rules/scope.ts';
import type { FileAct } from '../shell/acts.ts';
import { decide } from './decide.ts';
import type { Evaluation } from './evaluation.ts';
import { type SubjectResult, toSubjectResult } from './subjectResult.ts';
import { isShippedForAll, tighten } from './tightenFile.ts';

/** What the capability set grants of a file that a command line touches. */
export function getGrant(act: FileAct, path: string, { scope }: Evaluation): FileGrant {
  if (scope === undefined) return 'granted';
  const bears = scope.namesFiles && act.unsure !== true;
  if (act.role !== 'redirection' && !bears) return 'granted';
  return scope.grantFile(path, getAccess(act));
}

/** A word that a program may use as a file counts as read. */
export function getAccess({ access, role }: FileAct): FileAct['access'] {
  return role === 'named' ? 'fs.read' : access;
}

/** Whether the capability set refuses files that can't be told. */
export function refusesUnknown({ scope }: Evaluation): boolean {
  return scope !== undefined && scope.unknownFile === 'refuse';
}

/**
 * Asks about a file outside the capability set, and offers a rule for exactly this path. Undefined: a
 * rule names the path.
 */
export function askOutside(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): SubjectResult | undefined {
  if (isNamedByRule(act, file, compiled)) return undefined;
  const { path } = file;
  const access = getAccess(act);
  const folders = compiled.scope?.describeFiles(access);
  const why = `${toTargetSpan(act.target)} is outside this session's folders (${folders}). Only a rule that names exactly this path can allow it.`;
  const asked = toSubjectResult({ permission: access, target: act.target }, 'ask', undefined, why);
  if (act.doubt !== undefined) return asked;
  return { ...asked, source: { kind: 'path', writes: access === 'fs.write', path } };
}

/**
 * Asks about a file outside the workspace that a command's operand writes or removes, or that a program is
 * given which may do anything with it, as the shipped rules do about one that is read: a rule such as `rm *`
 * is about files here. Undefined: a rule allows the path, or nothing asks about what is outside.
 */
export function askWrittenOutside(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): SubjectResult | undefined {
  if (act.access !== 'fs.write' || isDevice(file.path)) return undefined;
  const named = act.role === 'named';
  if (named && (act.passed === true || isSwitch(act.target, compiled))) return undefined;
  const outside = tighten('fs.read', file, compiled)?.rule;
  if (!isShippedForAll(outside)) return undefined;
  const question = { tool: 'fs.write', capability: 'fs.write', match: 'path', ...file } as const;
  const own = decide(question, compiled.fileRules['fs.write'], compiled.policy.platform);
  if (own.rule !== undefined && own.action === 'allow') return undefined;
  const uses = named ? 'may read or write' : 'writes or removes';
  const why = `The command ${uses} ${toTargetSpan(act.target)}, which is outside the workspace.`;
  const permission = named ? 'fs.read' : 'fs.write';
  const asked = toSubjectResult({ permission, target: act.target }, 'ask', outside, why);
  if (act.doubt !== undefined) return asked;
  const folder = act.sweep !== undefined;
  return { ...asked, source: { kind: 'path', writes: !named, path: file.path, folder } };
}

/** Programs of Windows have options such as `/q` and `/out:x`. */
function isSwitch(target: string, { policy }: Evaluation): boolean {
  return policy.platform === 'win32' && /^\/[\w?-]+(?::|$)/.test(target);
}

/** What is written there is kept nowhere, or shown. */
function isDevice(path: string): boolean {
  return /^\/dev\/(?:null|zero|full|tty|std(?:out|err)|fd\/\d+)$/.test(path);
}

/** Whether the file or folder lies in a workspace folder. */
export function isInWorkspace(path: string, { roots, policy, links }: Evaluation): boolean {
  const { platform } = policy;
  const resolved = resolvePath(path, { cwd: undefined, platform, links });
  return (
    resolved.ok && roots.workspace.some((root) => isBelowFolded(resolved.path, root, platform))
  );
}

/** Whether an allow rule without wildcards is exactly this path. */
function isNamedByRule(act: FileAct, file: RealPath, compiled: Evaluation): boolean {
  const { platform } = compiled.policy;
  const access = getAccess(act);
  const rules = compiled.fileRules[access];
  const question = { tool: access, capability: access, match: 'path', ...file } as const;
  const decision = decide(question, rules, platform);
  const own = rules.all.find(({ rule }) => rule === decision.rule)?.path();
  return decision.action === 'allow' && own !== undefined && isExactly(own, file.path, platform);
}
