import { existsSync } from 'node:fs';
import path from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { toVisibleLine } from '../../../base/text/visibleText.ts';
import { openRecorder, type Recorder } from '../../../recorder/recorder.ts';
import type { CommandIo } from '../../command.ts';
import {
  type DataFolder,
  dataFolder,
  historyFile,
  openDataFolder,
} from '../../config/dataFolder.ts';

/** Arguments that can't be used: exit code 2, with the usage. */
export class Misuse extends Error {
  override readonly name: string = 'Misuse';
}

/** What the arguments name does not exist: exit code 2, without the usage, which would not help. */
export class NotFound extends Misuse {
  override readonly name = 'NotFound';
}

/** A request that was understood and failed: exit code 1. */
export class Failed extends Error {
  override readonly name = 'Failed';
}

/** What `parseArgs` finds in the arguments of a sub-command, with `--user-data` for all. Throws `Misuse`. */
export function parseWords<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  count: readonly [least: number, most: number],
) {
  try {
    const all = { ...options, 'user-data': { type: 'string' } } as const;
    const { positionals, values } = parseArgs({
      ...{ args: [...args], options: all, allowPositionals: true },
    });
    const [least, most] = count;
    if (positionals.length >= least && positionals.length <= most) return { positionals, values };
  } catch (fault) {
    throw new Misuse(fault instanceof Error ? fault.message : String(fault));
  }
  throw new Misuse('The arguments are too few or too many.');
}

export interface OpenHistory {
  readonly recorder: Recorder;
  readonly data: DataFolder;
}

/** Opens the history, and closes it afterwards. Where there is none, throws `NotFound` or creates it. */
export async function withHistory<Result>(
  { env, cwd, stderr }: CommandIo,
  userData: string | undefined,
  work: (history: OpenHistory) => Result | Promise<Result>,
  creates = false,
): Promise<Result> {
  const root = userData === undefined ? {} : { GATEHOUSE_DATA: path.resolve(cwd, userData) };
  const own = { ...env, ...root };
  // Opening it would create it.
  if (!creates && !existsSync(historyFile(own))) {
    throw new NotFound(
      `${dataFolder(own)} has no history. Sessions are stored with the first prompt; --user-data names another folder.`,
    );
  }
  const data = openDataFolder(own);
  const recorder = openRecorder(data.database);
  try {
    await recorder.repaired();
    for (const notice of recorder.notices) stderr.write(`${toVisibleLine(notice)}\n`);
    return await work({ recorder, data });
  } finally {
    recorder.close();
  }
}

/** Throws `NotFound` for a session that is not stored. */
export function requireSession({ recorder }: OpenHistory, sessionId: string) {
  const session = recorder.session(sessionId);
  if (session === undefined)
    throw new NotFound(
      `There is no session ${sessionId}. gatehouse sessions list shows those there are.`,
    );
  return session;
}
