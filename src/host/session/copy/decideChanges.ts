import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { isInFolder } from '../../../base/disk/insideFolder.ts';
import { FILE_CHANGERS } from '../../../base/tools/toolFacts.ts';
import type { GateContext } from '../../../gate/gateContext.ts';
import { evaluate } from '../../../permissions/evaluate/evaluate.ts';
import type { CompiledPolicy } from '../../../permissions/rules/compiledPolicy.ts';
import type { Decision } from '../../../permissions/rules/policy.ts';
import type { Subject } from '../../../permissions/rules/subject.ts';
import type { CopyChange } from '../../../runtime/sandbox/changes/changes.ts';
import type { Untimed } from '../../../runtime/sandbox/changes/fileClock.ts';
import { findIgnored } from './findIgnored.ts';
import { createIsNamedByGit, type IsNamedByGit } from './findNamedByGit.ts';
import { keepTogether } from './keepTogether.ts';

/** What becomes of each change that commands made in the copy. Each is in one list only. */
export interface DecidedChanges {
  /** Rules allow them, so they reach the workspace unasked. */
  readonly allowed: readonly CopyChange[];
  /** The user is asked about them. */
  readonly asked: readonly ReasonedChange[];
  /** Rules deny them, or they can't be made in the workspace. They are dropped from the copy. */
  readonly denied: readonly ReasonedChange[];
  /** The workspace's own file changed meanwhile, so neither side replaces the other unasked. */
  readonly conflicts: readonly CopyChange[];
  /** Git ignores them, such as what a build writes. They stay in the copy. */
  readonly ignored: readonly CopyChange[];
  /** More than are evaluated: none of them was, so that only `conflicts` and `ignored` are known. */
  readonly tooMany?: number;
}

export interface ReasonedChange {
  readonly change: CopyChange;
  /** A sentence for the user. */
  readonly why: string;
  /** It asks whatever a rule allows. */
  readonly always?: true;
}

type DecidingContext = Pick<GateContext, 'policy' | 'compiler'>;

/**
 * Evaluates every changed path as a write (`fs.write`), with the ask and deny rules of the tools that
 * change files. Rejects only when `signal` aborts.
 */
export async function decideChanges(
  changes: readonly CopyChange[],
  context: DecidingContext,
  signal: AbortSignal,
): Promise<DecidedChanges> {
  const ignored = await findIgnored(changes, context.policy().readGit, signal);
  const lists = {
    allowed: [] as CopyChange[],
    asked: [] as ReasonedChange[],
    denied: [] as ReasonedChange[],
    conflicts: [] as CopyChange[],
  };
  lists.conflicts = changes.filter((change) => change.isConflict && !ignored.has(change));
  const open = changes.filter((change) => !change.isConflict && !ignored.has(change));
  if (open.length > MOST_CHANGES) {
    return { ...lists, ignored: [...ignored], tooMany: open.length };
  }
  let compiled = compile(context);
  const looks = { below: { left: MOST_BELOW }, isNamedByGit: createIsNamedByGit() };
  for (const [at, change] of open.entries()) {
    if (at % BURST === BURST - 1) {
      await new Promise((resolve) => setImmediate(resolve));
      compiled = compile(context);
    }
    signal.throwIfAborted();
    const { decision, ...reason } = await decideChange(change, compiled, looks);
    if (decision === 'allow') lists.allowed.push(change);
    else lists[decision === 'ask' ? 'asked' : 'denied'].push({ change, ...reason });
  }
  return keepTogether({ ...lists, ignored: [...ignored] });
}

/** What git takes from a file is looked up here, for all changes together. */
function compile({ policy, compiler }: DecidingContext): CompiledPolicy {
  const { isNamedByGit: _, ...own } = policy();
  return compiler.compile(own);
}

/** Many more than one review shows; only rules that deny could take so many out of it. */
const MOST_CHANGES = 5000;

/** Changes that are evaluated before other work of the host gets its turn. */
const BURST = 100;

interface Decided extends Omit<ReasonedChange, 'change'> {
  readonly decision: 'allow' | 'ask' | 'deny';
}

/** How many files of removed folders may still be evaluated. */
interface Below {
  left: number;
}

/** What is looked up for all changes together. */
interface Looks {
  readonly below: Below;
  readonly isNamedByGit: IsNamedByGit;
}

async function decideChange(
  change: CopyChange,
  compiled: CompiledPolicy,
  { below, isNamedByGit }: Looks,
): Promise<Decided> {
  const { kind, type } = change;
  const shown = toCodeSpan(change.path);
  if (kind === 'special' && type !== 'deleted') {
    const why = `${shown} is a device, a socket or a FIFO, which only a command outside of the copy can create.`;
    return { decision: 'deny', why };
  }
  const files = listFiles(change, below);
  const decision = await evaluateWrites(files ?? [toPath(change)], compiled);
  const strict = toStrict(decision);
  if (strict === 'deny') return { decision: strict, why: decision.reason };
  const doubt =
    files === undefined
      ? `${shown} holds too many files to look at, or cannot be listed.`
      : findDoubt(change, isNamedByGit);
  if (doubt !== undefined) return { decision: 'ask', why: doubt, always: true };
  return { decision: strict, why: decision.reason };
}

function toStrict({ decision }: Decision): Decided['decision'] {
  return decision === 'refuse' ? 'deny' : decision;
}

function evaluateWrites(paths: readonly string[], compiled: CompiledPolicy): Promise<Decision> {
  const [first = '', ...others] = paths;
  const subjects = [
    ...toSubjects(first),
    ...others.flatMap((each): readonly Subject[] => toSubjects(each)),
  ] as const;
  return evaluate({ tool: 'copy', input: {}, subjects }, compiled);
}

function toSubjects(target: string): readonly [Subject, ...Subject[]] {
  const write = { capability: 'fs.write', target, match: 'path' } as const;
  const tightening = FILE_CHANGERS.map((permission): Subject => {
    return { ...write, permission, tightensOnly: true };
  });
  return [{ ...write, permission: 'fs.write' }, ...tightening];
}

/** Why a change asks even if a rule allows writing the file: the rule says nothing about this. */
function findDoubt(change: CopyChange, isNamedByGit: IsNamedByGit): string | undefined {
  const { isUtf8, kind, type, target, mode = 0, wasMode = 0 } = change;
  const shown = toCodeSpan(change.path);
  if (!isUtf8) return `The name of ${shown} is not UTF-8, so no rule can name it.`;
  if (kind === 'link' && type !== 'deleted' && leadsOut(change)) {
    return `${shown} is a link that leads out of the workspace folder, to ${toCodeSpan(target ?? '')}.`;
  }
  // A folder only passes its group on to what is made in it.
  if (type !== 'deleted' && kind === 'file' && (mode & SPECIAL_BITS & ~wasMode) !== 0) {
    return `${shown} would run with the rights of its owner or group.`;
  }
  if (change.untimed !== undefined) {
    return `${shown} ${UNTIMED[change.untimed]}, so that a change of yours meanwhile may not be noticed.`;
  }
  // A folder that both have gets another mode only.
  if (!(kind === 'folder' && type === 'mode') && isNamedByGit(toPath(change), change.folder)) {
    return `Git takes hooks or settings from ${shown}, by the configuration of a repository.`;
  }
  return undefined;
}

const UNTIMED: Readonly<Record<Untimed, string>> = {
  otherClock: 'lies on another machine, whose clock may be another',
  wholeSeconds: 'lies in a file system that notes when a file was saved in whole seconds',
};

/** Set-user-ID and set-group-ID. */
const SPECIAL_BITS = 0o6000;

/** Follows the links of the workspace. Behind a name, `..` may lead anywhere: the command may have made that a link. */
function leadsOut(change: CopyChange): boolean {
  const { folder, target } = change;
  if (target === undefined || climbsLate(target)) return true;
  const led = path.resolve(path.dirname(toPath(change)), target);
  return !isInFolder(led, folder) || !isInFolder(followLinks(led), followLinks(folder));
}

function climbsLate(target: string): boolean {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const named = parts.findIndex((part) => part !== '..');
  return named >= 0 && parts.includes('..', named);
}

/** Where the path leads, as far as it exists. */
function followLinks(file: string): string {
  const above = path.dirname(file);
  try {
    return realpathSync(file);
  } catch {
    return above === file ? file : path.join(followLinks(above), path.basename(file));
  }
}

function toPath({ folder, path: name }: CopyChange): string {
  return path.join(folder, name);
}

/**
 * The files that a change removes or writes: those of a folder that is deleted or replaced count too. Undefined:
 * more than can be evaluated, or they can't be listed.
 */
function listFiles(change: CopyChange, below: Below): readonly string[] | undefined {
  const own = toPath(change);
  const { type, kind, was } = change;
  const removesFolder = was === 'folder' && (type === 'deleted' || kind !== 'folder');
  if (!removesFolder) return [own];
  const found = [own];
  const folders = [own];
  try {
    for (const folder of folders) {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (found.length === MOST_FILES || below.left === 0) return undefined;
        below.left -= 1;
        const file = path.join(folder, entry.name);
        found.push(file);
        if (entry.isDirectory()) folders.push(file);
      }
    }
    return found;
  } catch {
    return undefined;
  }
}

/** Files of one deleted folder that are evaluated one by one, and of all of them: they may lie in each other. */
const MOST_FILES = 500;
const MOST_BELOW = 20_000;
