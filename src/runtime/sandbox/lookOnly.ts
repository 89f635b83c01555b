import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { ConfinedLaunch, ConfinedStart, PreparedRun } from '../confined.ts';
import type { CopyReport, SessionCopy } from './copy.ts';
import { removeFolder } from './folders.ts';
import { toInsideEnvironment } from './linux/environment.ts';
import { findLayoutFault } from './linux/layout.ts';
import { findToolFolders } from './linux/toolFolders.ts';
import { toSetUpFault } from './prepareRun.ts';
import type { CopyOptions, Masks, Sandbox } from './sandbox.ts';
import { buildProfile } from './seatbelt/profile.ts';

export interface LookOnlyParts {
  /** `sandbox-exec`, or what stands in for it in tests. */
  readonly program: string;
  readonly home: string;
}

/**
 * The sandbox of a Mac (Seatbelt): commands only look at the workspace, and nothing is laid over it. So a copy never
 * has changes, and what would write fails. There is no network.
 */
export function createLookOnly(
  parts: LookOnlyParts,
  machine: string,
): Pick<Sandbox, 'state' | 'machine' | 'openCopy' | 'live'> {
  return {
    state: { proven: true, looksOnly: true },
    machine,
    openCopy: (copy) => openLook(parts, copy),
    live: (live) => startLook(parts, live, live.masks),
  };
}

function openLook(parts: LookOnlyParts, copy: CopyOptions): SessionCopy {
  const report: CopyReport = {
    ...{ wantedNetwork: false, looksOnly: true },
    ...{ refusedHosts: [], homeWrites: [], maskedWrites: [] },
  };
  return {
    hold: async () =>
      success({
        start: ({ masks }) => startLook(parts, copy, masks),
        report: () => report,
        changes: async () => success({ files: [], git: [] }),
        drop: async () => success(undefined),
        reset: async () => undefined,
        release: () => undefined,
      }),
    close: async () => removeFolder(copy.folder),
  };
}

function startLook(parts: LookOnlyParts, copy: CopyOptions, masks: Masks): ConfinedStart {
  return {
    async prepare(launch) {
      try {
        return prepareLook(
          parts,
          copy,
          typeof masks === 'function' ? await masks() : masks,
          launch,
        );
      } catch (fault) {
        return failure(toSetUpFault(fault));
      }
    },
  };
}

function prepareLook(
  { program, home }: LookOnlyParts,
  { folder, workspace }: CopyOptions,
  masks: readonly string[],
  { argv, cwd, env, declared = {}, reads = [] }: ConfinedLaunch,
): Outcome<PreparedRun> {
  const fault = findLayoutFault({ folder, workspace }, home, 'show');
  if (fault !== undefined) return failure(fault);
  const temporary = path.join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  const own = path.isAbsolute(argv[0]) ? [path.dirname(argv[0])] : [];
  const tools = findToolFolders([env['PATH'] ?? '', ...own].join(':'), home, workspace);
  const profile = buildProfile({
    ...{ workspace, temporary },
    tools: [...tools.read, ...reads],
    masks: [...masks, ...tools.mask],
  });
  if (!profile.ok) return profile;
  let began = false;
  return success({
    launch: {
      argv: [
        program,
        '-p',
        profile.data,
        '/bin/bash',
        '--noprofile',
        '--norc',
        '-c',
        BEGIN,
        'bash',
        ...argv,
      ],
      cwd,
      env: { ...toInsideEnvironment(env, home), ...declared, TMPDIR: temporary },
    },
    descriptors: [
      {
        receive: () => {
          began = true;
        },
      },
    ],
    after: async (cut) =>
      began || cut
        ? success(undefined)
        : failure(`The sandbox did not start the command in ${cwd}. Nothing was run.`),
  });
}

/** Reports that the rules are in force, so that a fault of the sandbox is not taken for the command's. */
const BEGIN = 'echo began >&3; exec 3>&-; exec "$@"';
