import { toCodeSpan } from '../../../base/codeSpan.ts';
import type { GitMove, GitStep, ShellWord } from '../acts.ts';
import type { Walk } from '../walkState.ts';
import { type GitOptions, type Given, parseGitOptions } from './gitOptions.ts';

/**
 * Adds the files that a git command brings from the repository: which ones those are depends on
 * what its revisions hold, so only the revisions are noted.
 */
export function addGitMoves(
  sub: string,
  at: number,
  words: readonly ShellWord[],
  folders: readonly string[],
  walk: Walk,
): void {
  const move = Object.hasOwn(MOVES, sub) ? MOVES[sub] : undefined;
  if (move === undefined) return;
  const found = at === findFirst(words) ? toFound(move, words.slice(at + 1)) : OPTIONS_BEFORE;
  if (typeof found !== 'string' && found.length === 0) return;
  const base = { words, folders };
  walk.moves.push(
    typeof found === 'string'
      ? { ...base, steps: [], unclear: found }
      : ({ ...base, steps: found } satisfies GitMove),
  );
}

/** Where the subcommand is if no global option changes the repository. */
function findFirst(words: readonly ShellWord[]): number {
  const changes = /^(?:-[cC]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|exec-path))/;
  const first = words.findIndex(({ value }, index) => index > 0 && !value.startsWith('-'));
  return words.slice(0, first).some(({ value }) => changes.test(value)) ? -1 : first;
}

/** The steps, or why they can't be told. */
type Found = readonly GitStep[] | string;

interface Move {
  /** The first words behind the subcommand with which it brings nothing, whatever the options. */
  readonly reads?: RegExp;
  readonly options: GitOptions;
  toSteps(given: Given): Found;
}

function toFound({ reads, options, toSteps }: Move, given: readonly ShellWord[]): Found {
  if (reads?.test(given[0]?.value ?? '') === true) return [];
  const parsed = parseGitOptions(
    given.map(({ value }) => value),
    options,
  );
  return typeof parsed === 'string'
    ? `Gatehouse doesn't know the option ${toCodeSpan(parsed, 30)}`
    : toSteps(parsed);
}

const OPTIONS_BEFORE = 'an option before the subcommand selects the repository';
const CONTINUES = 'it goes on with an operation that was started before';
const NO_REVISION = 'it names no revision';
const RANGE = 'it names a range of commits';

const MOVES: Readonly<Record<string, Move>> = {
  checkout: {
    options: {
      letters: 'qfldtmp23',
      valued: 'bB',
      long: `quiet progress force detach track guess ours theirs merge overwrite-ignore
        ignore-other-worktrees overlay patch ignore-skip-worktree-bits`,
      longValued: 'orphan conflict track',
    },
    toSteps: toCheckout,
  },
  switch: {
    options: {
      letters: 'qfdtm',
      valued: 'cC',
      long: `quiet progress force discard-changes detach track guess merge overwrite-ignore
        ignore-other-worktrees`,
      longValued: 'create force-create orphan conflict track',
    },
    toSteps(given) {
      if (given.has('orphan')) return [{ how: 'switch', to: undefined, force: true }];
      const force = given.has('f', 'force', 'discard-changes');
      const operands = [...given.operands, ...(given.marked ?? [])];
      if (operands.some(isRange)) return RANGE;
      if (operands.length === 0 || given.has('c', 'C', 'create', 'force-create'))
        return toCheckout({ ...given, operands });
      return [{ how: 'checkout', operands, marked: [], force, removes: false }];
    },
  },
  restore: {
    options: {
      letters: 'qWSp23m',
      valued: 's',
      long: `quiet progress worktree staged patch ours theirs merge overlay ignore-unmerged
        ignore-skip-worktree-bits`,
      longValued: 'source conflict',
    },
    toSteps(given) {
      if (given.has('S', 'staged') && !given.has('W', 'worktree')) return [];
      const from = given.value('s', 'source') ?? (given.has('S', 'staged') ? 'HEAD' : undefined);
      if (from !== undefined && isRange(from)) return RANGE;
      const named = [...given.operands, ...(given.marked ?? [])];
      const paths = named.length === 0 && given.has('p', 'patch') ? ALL : named;
      return [{ how: 'restore', from, paths, removes: !given.has('overlay') }];
    },
  },
  reset: {
    options: {
      letters: 'qNp',
      valued: '',
      long: 'quiet hard keep merge soft mixed refresh intent-to-add patch',
      longValued: '',
    },
    toSteps(given) {
      if (given.has('p', 'patch') || !given.has('hard', 'keep', 'merge')) return [];
      const [to = 'HEAD'] = given.operands;
      if (isRange(to)) return RANGE;
      if (given.has('hard', 'merge')) return [{ how: 'reset', to }];
      return [{ how: 'switch', to, force: false }];
    },
  },
  merge: {
    options: {
      letters: 'nqve',
      valued: 'mF',
      long: `stat summary log squash commit edit ff ff-only verify quiet verbose progress signoff
        autostash allow-unrelated-histories rerere-autoupdate overwrite-ignore abort continue quit`,
      longValued: 'message file into-name cleanup log',
    },
    toSteps(given) {
      if (given.has('continue', 'quit')) return [];
      if (given.has('abort')) return [{ how: 'reset', to: 'HEAD' }];
      const { operands } = given;
      if (operands.some((each) => isRange(each) || each === 'FETCH_HEAD')) return RANGE;
      const heads = operands.length === 0 ? ['@{upstream}'] : operands;
      return heads.map((theirs) => ({ how: 'merge', theirs }));
    },
  },
  rebase: {
    options: {
      letters: 'qvnmfk',
      valued: '',
      long: `quiet verbose stat verify autostash rebase-merges reapply-cherry-picks
        autosquash force-rebase ff merge keep-empty committer-date-is-author-date update-refs
        rerere-autoupdate signoff quit show-current-patch edit-todo abort continue skip`,
      longValued: 'onto',
    },
    toSteps: toRebase,
  },
  'cherry-pick': { options: toPickOptions(), toSteps: (given) => toPick(given, false) },
  revert: { options: toPickOptions(), toSteps: (given) => toPick(given, true) },
  stash: {
    reads: /^(?:list|show)$/,
    options: {
      letters: 'qukapS',
      valued: 'm',
      long: 'index quiet include-untracked all keep-index patch staged',
      longValued: 'message',
    },
    toSteps: toStash,
  },
  'read-tree': {
    options: {
      letters: 'muivqn',
      valued: '',
      long: 'reset trivial aggressive dry-run sparse-checkout quiet',
      longValued: '',
    },
    toSteps({ has, operands }) {
      if (!has('u') || has('n', 'dry-run')) return [];
      const to = operands.at(-1);
      if (to === undefined) return NO_REVISION;
      return operands.length > 2 ? 'it merges several trees' : [{ how: 'reset', to }];
    },
  },
  pull: toUnclear('it fetches first', /^$/),
  bisect: toUnclear('it selects the commit itself', /^(?:log|view|visualize|terms)$/),
  'sparse-checkout': toUnclear('it selects the files by patterns', /^(?:list|check-rules)$/),
  flow: toUnclear('it runs a series of git commands', /^(?:version|log)$/),
};

function toPickOptions(): GitOptions {
  return {
    letters: 'nxesr',
    valued: 'm',
    long: `commit no-commit edit signoff ff allow-empty allow-empty-message keep-redundant-commits
      rerere-autoupdate reference quit abort continue skip`,
    longValued: 'mainline cleanup',
  };
}

/** `reads`: the actions that bring nothing. */
function toUnclear(why: string, reads: RegExp): Move {
  const options = { letters: '', valued: '', long: '', longValued: '', anything: true } as const;
  return { options, toSteps: ({ operands: [verb] }) => (reads.test(verb ?? '-') ? [] : why) };
}

function toCheckout(given: Given): Found {
  const { operands, marked } = given;
  const force = given.has('f', 'force', 'discard-changes');
  if (operands.some(isRange)) return RANGE;
  const creates = given.has('b', 'B', 'orphan', 'c', 'C', 'create', 'force-create');
  if (given.has('p', 'patch')) return toPatched(given);
  // Without an index, even this writes all files.
  if (creates) return [{ how: 'switch', to: operands[0] ?? 'HEAD', force }];
  return [{ how: 'checkout', operands, marked, force, removes: given.hasNo('overlay') }];
}

/**
 * With `--patch`, parts of what the index or the revision has come into the files, by default into
 * all of them. The first operand is a revision if there is such one.
 */
function toPatched({ operands, marked }: Given): Found {
  const [first, ...others] = operands;
  const steps: GitStep[] = [];
  if (first !== undefined) {
    const within = [...others, ...(marked ?? [])];
    const paths = within.length === 0 ? ALL : within;
    steps.push({ how: 'checkout', operands: [first], marked: paths, force: false, removes: true });
  }
  if (first !== undefined && marked !== undefined) return steps;
  const paths = [...operands, ...(marked ?? [])];
  return [
    ...steps,
    { how: 'restore', from: undefined, paths: paths.length === 0 ? ALL : paths, removes: false },
  ];
}

/** The whole work tree. */
const ALL: readonly string[] = [':/'];

function toRebase(given: Given): Found {
  if (given.has('quit', 'show-current-patch', 'edit-todo')) return [];
  if (given.has('abort', 'continue', 'skip')) return CONTINUES;
  const [upstream, branch] = given.operands;
  const onto = given.value('onto');
  if (upstream === undefined) return NO_REVISION;
  if ([upstream, branch, onto].some((each) => each !== undefined && isRange(each))) return RANGE;
  const first: readonly GitStep[] =
    branch === undefined ? [] : [{ how: 'switch', to: branch, force: false }];
  const since = onto === undefined ? {} : { since: upstream };
  return [...first, { how: 'merge', theirs: onto ?? upstream, ...since, replays: true }];
}

function toPick(given: Given, reverse: boolean): Found {
  if (given.has('quit')) return [];
  if (given.has('abort', 'continue', 'skip')) return CONTINUES;
  const { operands } = given;
  if (operands.length === 0) return NO_REVISION;
  if (operands.some((each) => isRange(each) || each.startsWith('^'))) return RANGE;
  const parent = Number(given.value('m', 'mainline') ?? '1');
  if (!Number.isInteger(parent) || parent < 1) return NO_REVISION;
  return [{ how: 'pick', commits: operands, parent, reverse }];
}

function toStash({ operands: [verb = 'push', first = 'stash@{0}', second], marked }: Given): Found {
  const toName = (stash: string) => (/^\d+$/.test(stash) ? `stash@{${stash}}` : stash);
  if (verb === 'pop' || verb === 'apply') return [{ how: 'unstash', stash: toName(first) }];
  if (verb === 'branch') {
    const stash = toName(second ?? 'stash@{0}');
    return [
      { how: 'switch', to: `${stash}^1`, force: false },
      { how: 'unstash', stash },
    ];
  }
  if (verb !== 'push' && verb !== 'save') return [];
  // The changes that it keeps are taken out of the work tree.
  if (marked === undefined || marked.length === 0) return [{ how: 'reset', to: 'HEAD' }];
  return [{ how: 'restore', from: 'HEAD', paths: marked, removes: true }];
}

/** `a..b`, `a...b` and `a^@` stand for several commits, or for one that git looks for. */
function isRange(revision: string): boolean {
  return /(?:^|[^/.])\.{2,3}(?:[^/.]|$)|\^[@!-]/.test(revision) && !/^\.\.?(?:\/|$)/.test(revision);
}
