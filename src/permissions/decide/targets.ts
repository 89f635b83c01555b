import { ODD, type RealPath, resolvePath } from '../patterns/paths.ts';
import { ELSEWHERE, type FileAct } from '../shell/acts.ts';
import { listReadings } from '../shell/wordPaths.ts';
import type { Evaluation } from './evaluation.ts';
import { withOtherNames } from './otherNames.ts';

/**
 * Where the target of a file act may lead. `lost`: it may also lead somewhere unknown. `odd`: that is so because of
 * a link to a name that isn't UTF-8.
 */
export function resolveTargets(
  act: FileAct,
  compiled: Evaluation,
): { readonly real: readonly RealPath[]; readonly lost: boolean; readonly odd: boolean } {
  const { platform } = compiled.policy;
  const real: RealPath[] = [];
  let lost = act.target.includes(ODD);
  let odd = false;
  for (const target of listReadings(act.target)) {
    const absolute = /^([/~]|[a-z]:[\\/])/i.test(target);
    for (const cwd of absolute ? [undefined] : act.folders) {
      const resolved =
        cwd === ELSEWHERE
          ? undefined
          : resolvePath(target, { cwd, platform, links: compiled.links });
      if (resolved?.ok) real.push(withOtherNames(resolved, compiled));
      else {
        lost = true;
        odd ||= resolved?.odd === true;
      }
    }
  }
  return { real, lost, odd };
}

/**
 * Whether the word is `HEAD` and hardly a file's name: git takes it for a revision, and an unknown program is given a
 * revision, the method of a request or the program `head` far more often than a file of that name.
 */
export function isHeadWord({ target, role, revision }: FileAct): boolean {
  return revision === true || (role === 'named' && /^head$/i.test(target));
}
