import { toCodeSpan } from '../../base/codeSpan.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import type { SubjectResult } from '../decide/subjectResult.ts';
import type { Look } from '../disk/lookBelow.ts';
import type { RealPath } from '../patterns/paths.ts';
import { findProtected } from '../rules/protected.ts';
import type { FileAct } from '../shell/acts.ts';
import { isSkipped, walkForProtected } from './protectedWalk.ts';
import { describeUnknown, joinName } from './sweepReason.ts';

/**
 * Looks whether a protected file lies below a folder that is moved, removed or copied with all that is in
 * it. The words of the command don't name that file. Ends with the first that is found.
 */
export async function lookForProtected(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): Promise<void> {
  const key = toKey(act, file);
  if (!counts(act, file, compiled) || compiled.looks.has(key)) return;
  const { spent } = compiled;
  const started = performance.now();
  const ms = toMs(compiled) - spent.ms;
  compiled.looks.set(key, await walkForProtected(act, file.path, compiled, { ms }));
  spent.ms += performance.now() - started;
}

/** The look is bounded by what it finds, and takes longer than others only where a disk is slow. */
function toMs({ policy }: Evaluation): number {
  return (policy.lookMs ?? LOOK_MS) * SLOWER;
}

/** What was found by `lookForProtected`; undefined: nothing had to be looked for. */
export function findProtectedLook(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): Look | undefined {
  return compiled.looks.get(toKey(act, file));
}

/** Asks about a folder with a protected file below it, whatever rules allow. */
export function evaluateProtected(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): readonly SubjectResult[] {
  if (!counts(act, file, compiled)) return [];
  const look = findProtectedLook(act, file, compiled) ?? NOT_LOOKED;
  const first = look.found.find(({ path }) => act.ignored?.has(path) !== true);
  if (first === undefined && look.gap === undefined) return [];
  const target = first === undefined ? act.target : joinName(act.target, first.name);
  const why =
    first === undefined
      ? describeUnknown(act, look.gap ?? TIME, toMs(compiled))
      : `The command moves, removes or copies ${toCodeSpan(target)} with its folder. That always asks, because the editor, git or an agent may run or trust what it contains.`;
  const subject = { permission: 'fs.write', target, decision: 'ask' } as const;
  return [{ subject, guarded: true, why }];
}

const LOOK_MS = 500;
const SLOWER = 10;
const TIME = { why: 'time' } as const;
const NOT_LOOKED: Look = { found: [], links: [], gap: TIME };

/** A protected folder asks itself. */
function counts(act: FileAct, { path }: RealPath, compiled: Evaluation): boolean {
  const { carries, sweep, arrives } = act;
  // What lies where files arrive stays there.
  if (carries === undefined || sweep === undefined || arrives === true) return false;
  // What is in a filled folder matters where it arrives.
  if (isSkipped(path, carries === 'all' ? [] : path.split('/'), compiled)) return false;
  return findProtected(path, compiled.roots) === undefined;
}

function toKey({ carries, only, without, folders }: FileAct, { path }: RealPath): string {
  return JSON.stringify(['protected', path, carries, only, without, folders[0]]);
}
