import type { CommandRow } from '../../src/permissions/defaults/defaultCommands.ts';
import { OPERANDS, VALUES } from './rowValues.ts';

/** A command line that a row lets through, as far as the row decides. */
export interface RowCommand {
  readonly row: CommandRow;
  readonly line: string;
  /** It may go on until it is ended. */
  readonly endless: boolean;
}

/**
 * The commands of a row: without options, with each option that it lets through, in each form, with
 * `pairs` pairs of them, drawn by `random`, and with each option behind an operand, since some programs
 * take it for a file then.
 */
export function toCommands(
  row: CommandRow,
  pairs: number,
  random: () => number,
): readonly RowCommand[] {
  const [pattern, flags] = row;
  const options = flags.split(/\s+/).flatMap((flag) => toForms(flag, pattern));
  const drawn = Array.from({ length: options.length > 1 ? pairs : 0 }, () =>
    [0, 1].map(() => options[Math.floor(random() * options.length)] ?? '').join(' '),
  );
  const operands = OPERANDS[pattern] ?? OPERANDS[toProgram(pattern)] ?? ['a.txt'];
  const plain = /^!| !/.test(flags) ? [''] : operands;
  const bare = flags.split(/\s+/).includes('+') ? [] : [''];
  const lines = [
    ...plain.flatMap((each) => bare.map((option) => toLine(pattern, option, each, flags))),
    ...[...options, ...drawn].map((option) => toLine(pattern, option, plain[0] ?? '', flags)),
    ...(pairs > 0 && !pattern.startsWith('git ') ? options : [])
      .filter((option) => !option.includes(' ') && (plain[0] ?? '') !== '')
      .map((option) => toLine(pattern, '', `${plain[0]} ${option}`, flags)),
  ];
  return [...new Set(lines)].map((line) => ({ row, line, endless: ENDLESS.test(line) }));
}

const ENDLESS =
  /^tail .*(?:-f\b|-F\b|--follow)|^free .*-[sc]\b|^docker (?:logs|stats)|^journalctl .*-f\b/;

function toLine(pattern: string, option: string, operands: string, flags: string): string {
  const needed = /(?:^| )\+(-\w)(?: |$)/.exec(flags)?.[1] ?? '';
  const own = pattern.replace(/\*$/, 'name');
  // The options of `find` follow its operands.
  const rest = own === 'find' ? [operands, option] : [needed, option, operands];
  return [own, ...rest].filter((part) => part !== '').join(' ');
}

/** `-n:` with a value, `--x=` with and without one, `-#` as a number; nothing for `!` and `+`. */
function toForms(flag: string, pattern: string): readonly string[] {
  if (!flag.startsWith('-') || flag === '--') return [];
  if (flag === '-#') return ['-3'];
  const name = flag.replace(/[:=]$/, '');
  if (pattern.split(' ').includes(name)) return [];
  const value = VALUES[`${toProgram(pattern)} ${name}`] ?? VALUES[name] ?? '1';
  if (flag.endsWith(':')) return [`${name} ${value}`];
  if (flag.endsWith('=')) return [name, `${name}=${value}`];
  const takes = VALUES[`${toProgram(pattern)} ${name}`];
  return [takes === undefined ? name : `${name} ${takes}`];
}

/** `git log`, `jq`: the words that a value is looked up by. */
function toProgram(pattern: string): string {
  const words = pattern.replace(' --no-pager', '').split(' ');
  return words[0] === 'git' ? words.slice(0, 2).join(' ') : (words[0] ?? '');
}
