import path from 'node:path';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { isFolder } from '../../declared/findManifests.ts';
import type { CommandIo } from '../command.ts';

/** The other arguments, and the folder of `--workspace DIR`: ids of tools contain a path from there. */
interface WithWorkspace {
  readonly words: readonly string[];
  /** Absolute. */
  readonly workspace?: string;
}

const OPTION = '--workspace';

/** Takes `--workspace DIR` or `--workspace=DIR` out of the arguments before a `--`. */
export function takeWorkspace({
  args,
  cwd,
}: Pick<CommandIo, 'args' | 'cwd'>): Outcome<WithWorkspace> {
  const end = args.indexOf('--');
  const at = args.findIndex((word) => word === OPTION || word.startsWith(`${OPTION}=`));
  if (at < 0 || (end >= 0 && at > end)) return success({ words: args });
  const isJoined = args[at] !== OPTION;
  const written = isJoined ? args[at]?.slice(OPTION.length + 1) : args[at + 1];
  const workspace = path.resolve(cwd, written ?? '');
  if (!written || !isFolder(workspace)) return failure(`${OPTION}: no folder "${written ?? ''}"`);
  return success({ words: args.toSpliced(at, isJoined ? 1 : 2), workspace });
}
