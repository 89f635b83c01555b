import { getToolFacts } from '../base/tools/toolFacts.ts';
import { type LinkCache, resolvePath } from '../permissions/patterns/paths.ts';
import type { Policy } from '../permissions/rules/policy.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Operation } from './operation.ts';

/** What a call would touch, and the policy to evaluate it with. */
export interface ResolvedCall {
  readonly subjects: readonly [Subject, ...Subject[]];
  readonly policy: Policy;
}

/**
 * Resolves each path of a call once, so that the path that is evaluated is the one that is shown, approved
 * and opened. Paths are relative to the session's root, command lines run in the call's own cwd.
 */
export function resolveCall(operation: Operation, input: unknown, policy: Policy): ResolvedCall {
  const { folders, platform } = policy;
  const links: LinkCache = new Map();
  const resolve = (written: string) => resolvePath(written, { cwd: folders.cwd, platform, links });
  const withPath = (subject: Subject): Subject =>
    subject.match === 'path' ? { ...subject, resolved: resolve(subject.target) } : subject;

  const [first, ...others] = operation.subjects(input);
  const own = [withPath(first), ...others.map(withPath)] as const;
  const subjects = [...own, ...own.flatMap((each) => toTightening(operation, each))] as const;
  const cwd = operation.cwd?.(input);
  const folder = cwd === undefined ? undefined : resolve(cwd);
  if (folder?.ok !== true) return { subjects, policy };
  return { subjects, policy: { ...policy, folders: { ...folders, cwd: folder.path } } };
}

/**
 * The same path as a subject of each tool whose ask and deny rules apply to the operation too. A tool that
 * only reads says nothing about writing.
 */
export function toTightening({ alsoRuledBy = [] }: Operation, subject: Subject): Subject[] {
  if (subject.match !== 'path') return [];
  const { capability } = subject;
  const applies = (permission: string) => {
    const access = getToolFacts(permission)?.access;
    return access === undefined || capability === undefined || access === capability;
  };
  return alsoRuledBy
    .filter(applies)
    .map((permission) => ({ ...subject, permission, tightensOnly: true }));
}

/** The real paths of the subjects that are paths. */
export function getPaths(subjects: readonly Subject[]): readonly string[] {
  const paths = subjects.flatMap(({ resolved }) => (resolved?.ok === true ? [resolved.path] : []));
  return [...new Set(paths)];
}
