import type { ShellWord } from '../../acts.ts';
import { addHost, findRemote } from '../../hosts.ts';
import type { Arguments, SimpleCommand } from '../../simpleCommand.ts';
import type { Walk } from '../../walkState.ts';
import type { Program } from '../tables/program.ts';
import { findRegistries, isLoopback, mayNameOthers, namesOtherHost } from './otherHosts.ts';

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
  walk: Walk,
): Arguments {
  if (KEEPS_VALUES.has(name) || !mayNameOthers(program)) return found;
  const hosts = new Set(found.hosts);
  const remotes = new Set<number>();
  const operands = [...words.keys()].filter((at) => at > 0 && !/^-/.test(words[at]?.value ?? ''));
  const registries = new Set(findRegistries(name, words, operands));
  words.slice(0, end).forEach((word, index) => {
    if (index === 0) return;
    const known = program?.hosts === 'remote' || (hosts.has(index) && !word.value.includes('://'));
    const isRemote =
      (known && hosts.has(index) && !isLoopback(toAddress(word))) ||
      registries.has(index) ||
      namesOtherHost(name, word);
    if (!isRemote) return;
    remotes.add(index);
    if (hosts.has(index)) return;
    hosts.add(index);
    const url = registries.has(index) ? `https://${toImage(word)}` : findRemote(word);
    if (url !== undefined) addHost(url, walk.acts);
  });
  return remotes.size === 0 ? found : { ...found, hosts, remotes };
}

function toAddress(word: ShellWord): string {
  return findRemote(word) ?? word.value;
}

/** The image without the option before it. */
function toImage({ value }: ShellWord): string {
  return value.replace(/^(?:--tag=|-t)/, '').replace(/^([^/]*)[\s\S]*$/, '$1');
}
