import type { Evaluation } from '../decide/evaluation.ts';
import type { Act, ShellAnalysis } from '../shell/acts.ts';
import { addPrintedFiles } from './gitReads.ts';
import { markIgnored } from './ignoredFiles.ts';
import { addMovedFiles } from './movedFiles.ts';
import { checkPassedNames } from './passedNames.ts';
import { addPastFiles } from './pastFiles.ts';

/**
 * Asks git what its commands of the line leave out, bring and print, as far as a rule may matter.
 * `started`: when the time for looking began (`performance.now()`).
 */
export async function followGit(
  acts: readonly Act[],
  analysis: Pick<ShellAnalysis, 'moves' | 'compound'>,
  compiled: Evaluation,
  started: number,
): Promise<readonly Act[]> {
  const left = await markIgnored(acts, compiled, started);
  const moved = await addMovedFiles(left, analysis, compiled, started);
  const printed = await addPrintedFiles(moved, compiled, started);
  const past = await addPastFiles(printed, compiled, started);
  return checkPassedNames(past, compiled, started);
}
