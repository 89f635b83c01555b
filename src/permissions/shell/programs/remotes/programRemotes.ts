import type { ShellWord } from '../../acts.ts';
import { findRemote } from '../../hosts.ts';
import type { Arguments, SimpleCommand } from '../../simpleCommand.ts';
import type { Program } from '../tables/program.ts';
import {
  findBases,
  findRegistries,
  findRepositories,
  isLoopback,
  mayNameOthers,
  namesOtherHost,
} from './otherHosts.ts';

/** Builtins whose words are values of the shell. */
export const KEEPS_VALUES: ReadonlySet<string> = new Set(
  'export declare typeset local readonly set unset alias unalias read trap let hash return exit'.split(
    ' ',
  ),
);

/**
 * Adds the words that name another host than the program's own, which an allow must contain. `end`: where
 * the words of a command that it starts begin.
 */
export function withRemotes(
  name: string,
  program: Program | undefined,
  { words }: SimpleCommand,
  found: Arguments,
  end: number,
): Arguments {
  if (KEEPS_VALUES.has(name) || !mayNameOthers(program)) return found;
  const hosts: ReadonlySet<number> = found.hosts ?? new Set();
  const operands = [...words.keys()].filter((at) => at > 0 && !/^-/.test(words[at]?.value ?? ''));
  const others = new Set([
    ...findRegistries(name, words, operands),
    ...findRepositories(name, words, operands),
    ...findBases(name, words),
  ]);
  const remotes = [...words.keys()].slice(1, end).filter((index) => {
    const word = words[index];
    if (word === undefined) return false;
    const known = program?.hosts === 'remote' || !word.value.includes('://');
    const isKnown = known && hosts.has(index) && !toAddresses(word).some(isLoopback);
    return isKnown || others.has(index) || namesOtherHost(name, word);
  });
  return remotes.length === 0 ? found : { ...found, remotes: new Set(remotes) };
}

/** The host may be the value of an option: `--host=localhost`, `-hlocalhost`. */
function toAddresses(word: ShellWord): readonly string[] {
  const { value } = word;
  const own = findRemote(word) ?? value;
  const attached = /^-[a-zA-Z](.+)$/.exec(value)?.[1];
  return [own, value.replace(/^--[\w-]+=/, ''), ...(attached === undefined ? [] : [attached])];
}
