import { getToolFacts } from '../base/tools/toolFacts.ts';
import { isConfiguration } from '../permissions/decide/tightenFile.ts';
import { type LinkCache, resolvePath } from '../permissions/patterns/paths.ts';
import type { Policy } from '../permissions/rules/policy.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { GateContext } from './gateContext.ts';
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
  const { identity } = operation;
  const withPath = (subject: Subject): Subject => ({
    ...subject,
    ...(identity !== undefined && { identity }),
    ...(subject.match === 'path' && { resolved: resolve(subject.target) }),
  });

  const [first, ...others] = operation.subjects(input);
  const own = [withPath(first), ...others.map(withPath)] as const;
  const subjects = [...own, ...own.flatMap((each) => toTightening(operation, each))] as const;
  const cwd = operation.cwd?.(input);
  const folder = cwd === undefined ? undefined : resolve(cwd);
  if (folder?.ok !== true) return { subjects, policy };
  return { subjects, policy: { ...policy, folders: { ...folders, cwd: folder.path } } };
}

/**
 * With what the editor shows instead of configurations, which may be a token that isn't saved yet. Other files are
 * decided by their names.
 */
export async function withUnsaved(
  { subjects, policy }: ResolvedCall,
  { compiler, unsavedText }: Pick<GateContext, 'compiler' | 'unsavedText'>,
): Promise<ResolvedCall> {
  if (unsavedText === undefined) return { subjects, policy };
  const compiled = compiler.compile(policy);
  const texts = new Map<string, Promise<string | undefined>>();
  const read = (file: string) => {
    // What can't be read now is not handed out either.
    const text = texts.get(file) ?? unsavedText(file).catch(() => undefined);
    texts.set(file, text);
    return text;
  };
  const withText = async (subject: Subject): Promise<Subject> => {
    const { resolved } = subject;
    if (resolved?.ok !== true || !isConfiguration(resolved, compiled)) return subject;
    const unsaved = await read(resolved.path);
    return unsaved === undefined ? subject : { ...subject, unsaved };
  };
  const [first, ...others] = subjects;
  return {
    subjects: [await withText(first), ...(await Promise.all(others.map(withText)))],
    policy,
  };
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
