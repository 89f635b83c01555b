import type { ShellWord } from '../../acts.ts';
import { addHost, findRemote, findUrl, toHostUrl } from '../../hosts.ts';
import type { Walk } from '../../walkState.ts';
import { literalWord } from '../../words.ts';
import type { Program } from '../tables/program.ts';

const NO_HOSTS: ReadonlySet<number> = new Set();

/** The arguments that may name hosts. */
interface Named {
  readonly operands: readonly number[];
  readonly addresses: readonly { readonly value: string; readonly index: number }[];
}

/** Adds the hosts that the words name. Returns the indices of these words. */
export function addHosts(
  program: Program,
  words: readonly ShellWord[],
  options: Named,
  walk: Walk,
): ReadonlySet<number> {
  if (program.inert === true) return NO_HOSTS;
  if (
    program.hosts === undefined &&
    options.addresses.length === 0 &&
    !words.some(({ value }) => value.includes(':/'))
  ) {
    return NO_HOSTS;
  }
  const hosts = new Set<number>();
  for (const { value, index } of options.addresses) {
    const url = toHostUrl(literalWord(value));
    if (url === undefined) continue;
    hosts.add(index);
    addHost(url, walk.acts);
  }
  const [firstOperand] = options.operands;
  const operands = program.hosts === undefined ? NO_HOSTS : new Set(options.operands);
  words.forEach((word, index) => {
    const bare = program.hosts === 'all' || (program.hosts === 'first' && index === firstOperand);
    const operand = operands.has(index);
    const url =
      operand && bare
        ? toHostUrl(word)
        : operand && program.hosts === 'remote'
          ? findRemote(word)
          : findUrl(word);
    if (url === undefined) return;
    hosts.add(index);
    addHost(url, walk.acts);
  });
  return hosts;
}
