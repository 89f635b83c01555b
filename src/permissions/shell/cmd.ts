import type { ShellAnalysis } from './acts.ts';
import { analyseCommand } from './command.ts';
import { toPlaces } from './folders.ts';
import { actsAs, toCanonical } from './powershellTable.ts';
import { LENGTH_LIMIT, startWalk, TOO_DEEP, TOO_LONG } from './walkState.ts';
import { literalWord } from './words.ts';

/**
 * cmd.exe has no grammar that can be trusted, so its lines are never allowed without asking. They
 * are cut roughly, so that a deny still meets every command.
 */
export function analyseCmd(
  line: string,
  cwd: string | undefined,
  platform: NodeJS.Platform,
): ShellAnalysis {
  if (line.length > LENGTH_LIMIT) return TOO_LONG;
  const folders = toPlaces(cwd);
  const walk = startWalk(platform, folders);
  // `^` escapes, `%VAR%` expands: the caret is taken away, the rest is only looked at.
  for (const part of line.replaceAll('^', '').split(/[&|\n\r()]+/)) {
    const words = part.match(/"[^"]*"|[^\s"]+/g) ?? [];
    const plain = words.map((word) => literalWord(word.replaceAll('"', '').replace(/^@/, '')));
    // Its builtins bear the names of PowerShell's aliases: `type`, `del`, `copy`.
    const as = actsAs(toCanonical(plain[0]?.value ?? ''));
    analyseCommand({ words: plain, folders, ...(as !== undefined && { as }) }, walk);
  }
  return {
    acts: walk.acts,
    doubts: ['cmd.exe lines cannot be proved'],
    ...(walk.tooDeep && { refused: TOO_DEEP }),
  };
}
