import type { Evaluation } from '../decide/evaluation.ts';
import { type SubjectResult, toSubjectResult } from '../decide/subjectResult.ts';
import { findHazard } from '../repository/configuration.ts';
import { findGitFolder, type GitFolder } from '../repository/gitFolder.ts';
import { type Printed, toPrinted } from '../repository/printed.ts';
import { listTrackedFiles } from '../repository/trackedFiles.ts';
import { type CommandAct, ELSEWHERE } from '../shell/acts.ts';
import { evaluateFile } from './evaluateTouch.ts';

/**
 * What a git command that a shipped rule allows may do because of the repository that it runs in:
 * run a program by its configuration, or print a tracked file that a rule protects. Undefined:
 * neither.
 */
export function evaluateRepository(
  { words, folders }: CommandAct,
  shown: { readonly permission: string; readonly target: string },
  compiled: Evaluation,
): SubjectResult | undefined {
  if (folders === undefined) return undefined;
  const printed = toPrinted(words.slice(1).map(({ value }) => value));
  for (const folder of folders) {
    const why = `Can't determine which repository "${shown.target}" reads.`;
    if (folder === ELSEWHERE) return toSubjectResult(shown, 'ask', undefined, why);
    const git = findReadable(folder);
    if (git === 'unreadable') return toSubjectResult(shown, 'ask', undefined, why);
    if (git === undefined) continue;
    if (git.hazard !== undefined) {
      const text = `The repository's configuration may run a program or read other files (${git.hazard}).`;
      return toSubjectResult(shown, 'ask', undefined, text);
    }
    const secret = printed === undefined ? undefined : findTracked(git, folder, printed, compiled);
    if (secret !== undefined) return secret;
  }
  return undefined;
}

type Found = GitFolder & { readonly hazard: string | undefined };

function findReadable(folder: string): Found | 'unreadable' | undefined {
  try {
    const git = findGitFolder(folder);
    return git === undefined ? undefined : { ...git, hazard: findHazard(git) };
  } catch {
    // No permission, or a folder where a file should be: git may still be able to read it.
    return 'unreadable';
  }
}

/** Names that the shipped rules about secrets may match; only these are evaluated. */
const SECRET =
  /(?:^|\/)(?:\.env[^/]*|\.netrc|\.pgpass|\.git-credentials|\.pypirc|\.htpasswd|\.npmrc|id_[a-z0-9]+|credentials\.json|[^/]*\.(?:pem|key|p12|pfx|kdbx|keystore))$/i;

function findTracked(
  git: GitFolder,
  folder: string,
  printed: Printed,
  compiled: Evaluation,
): SubjectResult | undefined {
  const tracked = listTrackedFiles(git);
  for (const file of tracked ?? ['.env']) {
    if (!SECRET.test(file)) continue;
    const target = `${git.root}/${file}`;
    if (!printed.mayInclude(target, folder, git.root)) continue;
    const act = {
      kind: 'file',
      access: 'fs.read',
      target,
      folders: [folder],
      role: 'operand',
    } as const;
    const result = evaluateFile(act, compiled).find(({ subject }) => subject.decision !== 'allow');
    if (result !== undefined) return result;
  }
  return undefined;
}
