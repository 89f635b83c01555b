import { posix } from 'node:path';
import { toCodeSpan } from '../../base/codeSpan.ts';
import { type Act, type CommandAct, ELSEWHERE, type FileAct } from '../shell/acts.ts';
import { joinWords } from '../shell/words.ts';

/**
 * Why another part of the line can't be decided: it names a file by a path that goes through a link
 * which the git command brings. `links`: relative to the root of the work tree; undefined: they can't
 * be told, so that any path may.
 */
export function findThroughLink(
  act: CommandAct,
  acts: readonly Act[],
  links: readonly string[] | undefined,
): string | undefined {
  if (links?.length === 0) return undefined;
  const at = acts.indexOf(act);
  const own = new Set((act.inFolder ?? act).words.map(({ value }) => value));
  const through = acts.find(
    (each, index) =>
      isPath(each) &&
      // The operands of the command itself precede it. A part in the background may run later.
      (index > at || (links !== undefined && !own.has(each.target))) &&
      (links === undefined || listPaths(each).some((path) => goesThrough(path, links))),
  );
  if (through?.kind !== 'file') return undefined;
  return `${toCodeSpan(through.target)} may go through a link that ${toCodeSpan(joinWords(act.words), 40)} brings.`;
}

/** Folders that are swept are left out: their sweep looks at the files there. */
function isPath(act: Act): act is FileAct {
  return (
    act.kind === 'file' && act.role !== 'named' && act.sweep === undefined && act.past !== true
  );
}

function goesThrough(path: string, links: readonly string[]): boolean {
  return links.some((link) => `/${path}/`.includes(`/${link}/`));
}

/** The paths as written and as the shell reads them, which takes `..` for the folder above. */
function listPaths({ target, folders }: FileAct): readonly string[] {
  const starts = folders.filter((folder) => folder !== ELSEWHERE);
  const paths = target.startsWith('/') ? [target] : starts.map((folder) => `${folder}/${target}`);
  return [target, ...paths].flatMap((each) => [each, posix.normalize(each)]);
}
