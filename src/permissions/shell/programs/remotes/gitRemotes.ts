import type { ShellWord } from '../../acts.ts';

/** The words of a git command that name another repository than a configured remote. */
export interface GitRemotes {
  /** URLs and `host:path`; an allow must contain them up to the end of the host. */
  readonly hosts: readonly number[];
  /** Folders and files; an allow must contain them. */
  readonly paths: readonly number[];
}

/** Options with a value as the next word. Each may be abbreviated. */
const VALUED: Readonly<Record<string, string>> = {
  push: 'push-option receive-pack exec repo recurse-submodules o',
  fetch:
    'depth deepen shallow-since shallow-exclude jobs upload-pack refmap server-option negotiation-tip filter bundle-uri o j',
  pull: 'depth deepen shallow-since shallow-exclude jobs upload-pack refmap server-option negotiation-tip filter strategy strategy-option cleanup o j s X',
  clone:
    'origin branch upload-pack reference reference-if-able depth template config jobs separate-git-dir filter shallow-since shallow-exclude bundle-uri revision ref-format server-option o b u c j',
  'ls-remote': 'sort server-option upload-pack exec o',
  remote: 'track master t m',
  lfs: 'include exclude I X',
};

/** Where the operands of `git remote ACTION` and `git lfs ACTION` may be another repository. */
const ACTIONS: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {
  remote: { add: [1], 'set-url': [1, 2], show: [0], prune: [0], update: [0, 1, 2, 3] },
  lfs: { push: [0], fetch: [0], pull: [0] },
};

const URL = /^[a-z][a-z\d+.-]*:\/\//i;
const FILE_URL = /^file:/i;
const SCP = /^[^\s/:@]+@(?:\[[^\]]+\]|[^\s/:]+):/;
/** Any of these can only be a path, also where a refspec may stand. */
const PATH = /^(?:\/|~|\.\.?[\\/]|\.\.$|[a-z]:[\\/])/i;

/**
 * Finds the repositories that the words from `from` on name by address or path. `sub`: the subcommand,
 * which is the word before.
 */
export function findGitRemotes(sub: string, words: readonly ShellWord[], from: number): GitRemotes {
  const hosts: number[] = [];
  const paths: number[] = [];
  if (!Object.hasOwn(VALUED, sub)) return { hosts, paths };
  const { operands, repositories } = readOperands(sub, words, from);
  const actions = Object.hasOwn(ACTIONS, sub) ? ACTIONS[sub] : undefined;
  const [first = -1, ...others] = operands;
  const action = actions?.[words[first]?.value ?? ''];
  if (actions !== undefined && action === undefined) return { hosts, paths };
  const given = actions === undefined ? operands : others;
  const every = sub === 'fetch' && words.some(({ value }) => /^--mu/.test(value));
  const positions = new Set([
    ...(action ?? (every ? [...given.keys()] : [0])).map((at) => given[at] ?? -1),
    ...repositories,
  ]);
  for (const index of new Set([...given, ...repositories])) {
    const value = (words[index]?.value ?? '').replace(/^--[a-z-]+=/, '');
    const kind = positions.has(index) ? classifyRepository(value) : classifyAny(value);
    // The second operand of `clone` is the new folder.
    if (kind === 'path' && (sub !== 'clone' || positions.has(index))) paths.push(index);
    if (kind === 'host') hosts.push(index);
  }
  return { hosts, paths };
}

/** The operands, and the words with the value of `--repo`. */
function readOperands(
  sub: string,
  words: readonly ShellWord[],
  from: number,
): { readonly operands: readonly number[]; readonly repositories: readonly number[] } {
  const names = (VALUED[sub] ?? '').split(' ');
  const letters = names.filter((name) => name.length === 1);
  const operands: number[] = [];
  const repositories: number[] = [];
  let ended = false;
  for (let index = from; index < words.length; index += 1) {
    const text = words[index]?.value ?? '';
    if (ended || !/^-./.test(text)) {
      operands.push(index);
      continue;
    }
    ended = text === '--';
    const [, long, value] = /^--([a-z][a-z-]*)(=?)/.exec(text) ?? [];
    if (long !== undefined) {
      const name = names.find((each) => each.length > 1 && each.startsWith(long));
      const taken = value === '' && name !== undefined ? 1 : 0;
      if (sub === 'push' && 'repo'.startsWith(long)) repositories.push(index + taken);
      index += taken;
    } else if (letters.includes(/^-[a-zA-Z\d]*([a-zA-Z])$/.exec(text)?.[1] ?? '')) index += 1;
  }
  return { operands, repositories };
}

function classifyAny(value: string): 'host' | 'path' | undefined {
  if (FILE_URL.test(value) || PATH.test(value)) return 'path';
  return URL.test(value) || SCP.test(value) ? 'host' : undefined;
}

/** What stands where git expects a repository: a name without these marks is that of a remote. */
function classifyRepository(value: string): 'host' | 'path' | undefined {
  const kind = classifyAny(value);
  if (kind !== undefined) return kind;
  // `.` is this repository.
  if (/^(?:\[[^\]]+\]|[\w.-]+):(?!:)/.test(value)) return 'host';
  return /[\\/]|\.bundle$/.test(value) ? 'path' : undefined;
}
