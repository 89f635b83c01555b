import type { Evaluation } from '../decide/evaluation.ts';
import {
  type Act,
  type CommandAct,
  ELSEWHERE,
  type FileAct,
  type ShellWord,
} from '../shell/acts.ts';
import { quoteWord } from '../shell/words.ts';

/** A command that may be offered instead, and the only folder that it runs in. */
type Offered = Pick<FileAct, 'folders' | 'offers'>;

/**
 * The line that runs the words in the folder of a command. Undefined: the folder isn't certain or
 * lies above, the command doesn't stand alone, or this line is known not to pass.
 */
export function toOfferedLine(
  words: readonly ShellWord[],
  { folders, offers }: Offered,
  compiled: Evaluation,
): string | undefined {
  if (offers === undefined || words.some(({ literal }) => !literal)) return undefined;
  const below = toBelow(folders, compiled);
  if (below === undefined) return undefined;
  const [program = '', ...rest] = words.map(({ value }) => quoteWord(value));
  const line = toLine(program, rest, below, offers);
  return compiled.failedOffers?.has(line) === true ? undefined : line;
}

function toLine(
  program: string,
  rest: readonly string[],
  below: string,
  offers: NonNullable<Offered['offers']>,
): string {
  const line = [program, ...rest].join(' ');
  if (below === '') return line;
  const folder = quoteWord(below.startsWith('-') ? `./${below}` : below);
  if (offers === 'option') return [program, '-C', folder, ...rest].join(' ');
  return `cd ${folder} && ${line}`;
}

/** The folder relative to the one that the line starts in. */
function toBelow(folders: Offered['folders'], { policy }: Evaluation): string | undefined {
  const [folder = ELSEWHERE, ...others] = folders;
  const { cwd } = policy.folders;
  if (folder === ELSEWHERE || others.length > 0 || cwd === undefined) return undefined;
  if (folder === cwd) return '';
  const start = cwd.endsWith('/') ? cwd : `${cwd}/`;
  return folder.startsWith(start) ? folder.slice(start.length) : undefined;
}

/**
 * Marks the commands and sweeps instead of which another command may be offered: those that no
 * launcher starts, since it may run them elsewhere or give them more words.
 */
export function markOffers(acts: readonly Act[]): readonly Act[] {
  const commands = acts.filter((act): act is CommandAct => act.kind === 'command');
  const launched = new Set(
    commands.flatMap(({ words, inner }) => [...(inner ?? [])].flatMap((at) => words[at] ?? [])),
  );
  const alone = new Map<readonly ShellWord[], NonNullable<Offered['offers']>>();
  for (const { words, inFolder, doubt, tightensOnly } of commands) {
    const [program] = words;
    if (program === undefined || launched.has(program)) continue;
    if (doubt !== undefined || tightensOnly === true) continue;
    alone.set(inFolder?.words ?? words, inFolder === undefined ? 'command' : 'option');
  }
  return acts.map((act) => {
    const command = toWords(act);
    const offers = command && alone.get(command);
    return offers === undefined || act.kind === 'host' ? act : { ...act, offers };
  });
}

function toWords(act: Act): readonly ShellWord[] | undefined {
  if (act.kind === 'host') return undefined;
  return act.kind === 'file' ? act.command : (act.inFolder?.words ?? act.words);
}
