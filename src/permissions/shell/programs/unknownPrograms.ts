import { addHost, findUrl } from '../hosts.ts';
import type { Arguments, SimpleCommand } from '../simpleCommand.ts';
import type { Walk } from '../walkState.ts';
import { findAddresses, toOperandPaths, toPaths } from '../wordPaths.ts';
import { addDerivedNames, takesNames } from './derivedNames.ts';
import { KEEPS_VALUES } from './remotes/programRemotes.ts';
import { LOOSE_LAUNCHERS } from './tables/subcommandLaunchers.ts';
import { addUnnamed, hasUnnamed, unpacksHere } from './unnamed.ts';

const NOTHING: Arguments = {
  risky: new Set(),
  commands: [],
  guesses: [],
  namesHosts: true,
  mayLaunch: true,
};

/**
 * A program without a table row: its words may mean anything, but some of its effects may be known. `end`:
 * where the words of a command that it starts begin.
 */
export function analyzeUnknown(
  name: string,
  command: SimpleCommand,
  end: number,
  walk: Walk,
): Arguments {
  const { words, folders } = command;
  addNamed(command, KEEPS_VALUES.has(name) ? 0 : end, walk);
  const operands = [...words.keys()].filter((at) => at > 0 && !/^-/.test(words[at]?.value ?? ''));
  if (hasUnnamed(name)) addUnnamed(name, words, operands, folders, walk);
  addDerivedNames(name, words, operands, folders, walk);
  const loose = LOOSE_LAUNCHERS.has(name);
  const unnamed = hasUnnamed(name) && unpacksHere(name, words, folders, walk);
  if (!loose && !unnamed && !takesNames(name, words)) return NOTHING;
  const risky = new Set(words.keys());
  if (!loose) return { ...NOTHING, risky };
  return { ...NOTHING, risky, guesses: [words.slice(1)], mayLaunch: false };
}

/** An unknown program may do anything with a path that it is given. */
function addNamed({ words, folders }: SimpleCommand, started: number, walk: Walk): void {
  const end = words.findIndex(({ value }) => value === '--');
  for (const [index, word] of words.entries()) {
    if (index === 0 || index === end) continue;
    const passed = index >= started ? ({ passed: true } as const) : undefined;
    const addresses = findAddresses(word, folders, walk.acts);
    const toTargets = end > 0 && index > end ? toOperandPaths : toPaths;
    for (const target of toTargets(word, addresses))
      walk.acts.push({
        kind: 'file',
        access: 'fs.write',
        target,
        folders,
        role: 'named',
        ...passed,
      });
    const url = findUrl(word);
    if (url !== undefined) addHost(url, walk.acts);
  }
}
