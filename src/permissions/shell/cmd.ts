import type { Act, ShellAnalysis } from './acts.ts';
import { analyseCommand } from './command.ts';
import { LENGTH_LIMIT, type Walk, WORK_LIMIT } from './walk.ts';
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
  if (line.length > LENGTH_LIMIT) {
    return { acts: [], doubts: [], refused: 'the command is too long to be analysed' };
  }
  const acts: Act[] = [];
  const walk: Walk = {
    acts,
    doubts: new Set(),
    platform,
    depth: 0,
    nesting: 0,
    budget: { left: WORK_LIMIT },
    tooDeep: false,
    compound: false,
  };
  const folders = cwd === undefined ? [] : [cwd];
  // `^` escapes, `%VAR%` expands: the caret is taken away, the rest is only looked at.
  for (const part of line.replaceAll('^', '').split(/[&|\n\r()]+/)) {
    const words = part.match(/"[^"]*"|[^\s"]+/g) ?? [];
    const plain = words.map((word) => literalWord(word.replaceAll('"', '').replace(/^@/, '')));
    analyseCommand({ words: plain, folders }, walk);
  }
  return { acts, doubts: ['cmd.exe lines cannot be proved'] };
}
