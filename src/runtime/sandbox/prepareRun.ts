import { realpathSync } from 'node:fs';
import path from 'node:path';
import { getCode, getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { KB } from '../../base/units.ts';
import type { ConfinedLaunch, PreparedRun } from '../confined.ts';
import { parseReport, type RunCounters } from './counters.ts';
import { BRIDGE, EGRESS_SOCKET, PROXY_VARIABLES } from './egress/bridge.ts';
import type { EgressProxy } from './egress/proxy.ts';
import { writeAnew } from './folders.ts';
import {
  buildOptions,
  COMMAND_FD,
  EXPECTED,
  INFO_FD,
  type Mount,
  OPTIONS_FD,
  SYSTEM_FOLDERS,
  SYSTEM_LINKS,
  type View,
} from './linux/argv.ts';
import { takeLoading, toInsideEnvironment } from './linux/environment.ts';
import { endInit, findInit, type InitProcess } from './linux/initProcess.ts';
import { expectMounts } from './linux/layout.ts';
import { isSeen, listServices, makeMask, toMask } from './linux/masks.ts';
import { clearMountPoints, listExpected } from './linux/mountPoints.ts';
import { leadOutside, nameAlso } from './linux/outsidePath.ts';
import type { SandboxPrograms } from './linux/programs.ts';
import type { RepositoryPins } from './linux/repositoryPins.ts';
import { type LayeredMount, SETUP, toMountTable, WRAP } from './linux/scripts.ts';
import { buildFilter } from './linux/seccomp.ts';
import { findReads, findToolFolders, isWithin } from './linux/toolFolders.ts';
import { findRepositories } from './linux/worktrees.ts';
import type { Masks } from './sandbox.ts';

/** One run to prepare. */
export interface RunPlan {
  readonly programs: SandboxPrograms;
  /** Its folders exist. */
  readonly folder: string;
  /** Where HOME and /tmp are kept, if that is not `folder`. */
  readonly kept?: string;
  readonly home: string;
  readonly workspace: readonly string[];
  /** The workspace itself is writable but for these; otherwise it is copied on write. */
  readonly pins?: RepositoryPins;
  readonly masks: Masks;
  /** Changes the options of bwrap, for tests. */
  readonly edit?: ((options: readonly string[]) => readonly string[]) | undefined;
  /** The run's own proxy; this closes it. */
  readonly proxy?: EgressProxy | undefined;
  onReport?(counters: RunCounters): void;
  /** The command begins. `end` kills everything in the sandbox. */
  onBegin?(end: () => void): void;
}

/** bwrap takes at most 9,000 arguments; each mask needs three. */
export const MASK_LIMIT = 2500;
const REPORT_BYTES = 64 * KB;

/** What to run. Without a command (`argv`), it is given on a descriptor of its own, the last one. */
export type RunLaunch = Omit<ConfinedLaunch, 'argv'> & { readonly argv: readonly string[] };

/** Turns a command into a run of bwrap. Its mounts belong to a namespace that ends with it. */
export function prepareRun(plan: RunPlan, launch: RunLaunch): Outcome<PreparedRun> {
  const machine = process.arch;
  if (machine !== 'x64' && machine !== 'arm64') {
    return failure(`The sandbox has no system call filter for ${machine}.`);
  }
  const report = createReport(plan);
  const options = createOptions(plan, launch);
  return success({
    launch: {
      argv: toArgv(plan, launch),
      cwd: plan.folder,
      env: toEnvironment(plan, launch).outside,
    },
    descriptors: [
      { content: buildFilter(machine) },
      { receive: report.receive },
      { make: options.make },
    ],
    async after(cut) {
      if (!(await report.ended())) return failure(STILL_RUNS);
      const fault = await options.fault();
      const counters = parseReport(report.read());
      plan.onReport?.(counters);
      plan.proxy?.close();
      // Whoever stopped it while the sandbox was built knows that it did not run.
      if (counters.began || (cut && fault === undefined)) return success(undefined);
      if (/^moved$/m.test(report.read())) return failure(MOVED);
      return failure(
        fault ??
          `The sandbox did not start the command in ${launch.cwd}. Nothing was run, and nothing was changed.`,
      );
    },
  });
}

/**
 * The options of bwrap, made while the programs before it run: it reads them as the last. What can't be made
 * is an option that it refuses, so that it starts nothing.
 */
function createOptions(plan: RunPlan, launch: RunLaunch) {
  let fault: string | undefined;
  let made: Promise<Buffer> | undefined;
  const build = async (): Promise<readonly string[]> => {
    const masks = typeof plan.masks === 'function' ? await plan.masks() : plan.masks;
    if (masks.length > MASK_LIMIT) {
      fault = `The rules cover more than ${MASK_LIMIT} files, which the sandbox can't hide.`;
      return REFUSED;
    }
    const view = toView(plan, masks, launch);
    const options = toOptions(plan, view);
    // bwrap would read what follows it as options of their own.
    if (options.some((option) => option.includes('\0'))) {
      throw new Error('A variable or a path of the program holds a NUL.');
    }
    clearMountPoints(view);
    for (const mask of view.masks) makeMask(mask);
    writeAnew(
      view.expected.from,
      listExpected(view)
        .map((line) => `${line}\n`)
        .join(''),
    );
    return options;
  };
  const make = () => {
    made ??= build()
      .catch((error: unknown) => {
        fault = toSetUpFault(error);
        return REFUSED;
      })
      .then((options) => Buffer.from(options.map((option) => `${option}\0`).join('')));
    return made;
  };
  return {
    make,
    /** Why nothing was started. Waits for what is being made, which writes files of the run. */
    async fault(): Promise<string | undefined> {
      await made;
      return fault;
    },
  };
}

/** Why nothing was started, for the user. */
export function toSetUpFault(fault: unknown): string {
  if (!['ENOSPC', 'EDQUOT'].includes(getCode(fault) ?? '')) {
    return `The sandbox could not be set up: ${getMessage(fault)}`;
  }
  return "The sandbox could not be set up, because the disk that holds Gatehouse's data is full. Nothing was run, and nothing was changed.";
}

function toOptions({ edit }: RunPlan, view: View): readonly string[] {
  const options = buildOptions(view);
  return ['--info-fd', String(INFO_FD), ...(edit?.(options) ?? options)];
}

function toEnvironment({ home, proxy }: RunPlan, { env }: RunLaunch) {
  return takeLoading({ ...toInsideEnvironment(env, home), ...(proxy && PROXY_VARIABLES) });
}

/** All that a run is started with, besides its command. Makes nothing. */
export function describeRun(plan: RunPlan, launch: RunLaunch, masks: readonly string[]) {
  const view = toView(plan, masks, launch);
  return { view, options: toOptions(plan, view), env: toEnvironment(plan, launch).outside };
}

/** No bwrap has this option. */
const REFUSED: readonly string[] = ['--refused'];

const MOVED =
  'A folder of the workspace was replaced while the sandbox was built, so nothing was run. Try again.';

/** Why a run is not over that began. */
export const STILL_RUNS =
  'The processes that the command started could not be ended. What it changed in a copy is not looked at.';

/** Keeps what bwrap and the wrapper write, up to a limit: the command could write there too. */
function createReport({ onBegin }: Pick<RunPlan, 'onBegin'>) {
  const parts: Buffer[] = [];
  let size = 0;
  let init: InitProcess | undefined;
  let began = false;
  const read = () => Buffer.concat(parts).toString();
  return {
    receive(bytes: Buffer): void {
      size += bytes.length;
      if (size > REPORT_BYTES) return;
      parts.push(bytes);
      // While it runs: later its id may be another's.
      init ??= findInit(read());
      if (began || !parseReport(read()).began) return;
      began = true;
      const found = init;
      onBegin?.(() => found && void endInit(found));
    },
    read,
    /** Whether nothing of the sandbox runs any more. */
    ended: async () => init === undefined || endInit(init),
  };
}

function toArgv(plan: RunPlan, launch: RunLaunch): [string, ...string[]] {
  const { programs, folder } = plan;
  const setUp = (table: string, lower: readonly string[] = []) => [
    ...[SETUP, 'bash', table],
    ...[String(launch.argv.length === 0 ? COMMAND_FD : OPTIONS_FD), programs.mount],
    ...[String(lower.length), ...lower],
  ];
  const bash = [programs.bash, '--noprofile', '--norc', '-c'];
  const inside = [
    ...[programs.bwrap, '--args', String(OPTIONS_FD), '--'],
    ...[...bash, WRAP, 'bash', plan.proxy ? BRIDGE : '', ...launch.argv],
  ];
  if (plan.pins !== undefined) {
    return [programs.bash, '--noprofile', '--norc', '-c', ...setUp(''), ...inside];
  }
  const table = path.join(folder, 'mounts');
  const isRoot = process.getuid?.() === 0;
  writeAnew(table, toMountTable(toMounts(plan), folder, isRoot));
  const user = isRoot ? [] : ['--user', '--map-root-user'];
  const within = [...bash, ...setUp(table, expectLower(plan)), ...inside];
  return [programs.unshare, ...user, '--mount', '--', ...within];
}

/** What the copies are laid over: a program that writes the folder above a workspace folder could swap it. */
function expectLower(plan: RunPlan): readonly string[] {
  const folder = realpathSync(plan.folder);
  return expectMounts(
    toMounts(plan).map(({ lower, folder: name }) => {
      return { from: lower, to: path.join(folder, name, 'l') };
    }),
  );
}

function toMounts({ workspace }: RunPlan): readonly LayeredMount[] {
  return workspace.map((lower, index) => ({ lower, folder: `o${index}` }));
}

function toView(plan: RunPlan, masks: readonly string[], launch: RunLaunch): View {
  const { folder, home, workspace, pins, kept = folder } = plan;
  const tools = findToolFolders(toSearch(launch), home, workspace);
  const open = tools.read.filter((tool) => !masks.some((file) => isWithin(tool, file)));
  const mounted = [...open, ...findRepositories(workspace, home)];
  const shown = [...SYSTEM_FOLDERS, ...SYSTEM_LINKS, ...mounted];
  const reads = findReads(launch.reads ?? [], { home, workspace, masks, shown });
  const folders = [...mounted, ...reads];
  const real = folders.flatMap((folder) => leadOutside(folder, workspace) ?? []);
  // The sockets of a copied folder answer nobody.
  const served = [...SYSTEM_FOLDERS, ...folders, ...real, ...(pins ? workspace : [])];
  const sockets = new Set([...(pins?.sockets ?? []), ...listServices(served)]);
  const hidden = [...masks, ...sockets];
  return {
    closed: pins?.closed ?? [],
    writable: toWritable(plan),
    tools: folders,
    readOnly: pins?.readOnly ?? [],
    masks: [
      ...[...hidden, ...nameAlso(hidden, folders, workspace)],
      ...[...tools.mask, ...plan.programs.hidden],
    ].flatMap((file, index) => (isSeen(plan, folders, file) ? [toMask(folder, file, index)] : [])),
    home: { from: path.join(kept, 'home'), to: home },
    temporary: path.join(kept, 'tmp'),
    cwd: launch.cwd,
    variables: { ...toEnvironment(plan, launch).loading, ...launch.declared },
    ...(plan.proxy && { egress: { from: plan.proxy.socket, to: EGRESS_SOCKET } }),
    expected: { from: path.join(folder, 'expected'), to: EXPECTED },
  };
}

/** The folders of programs: those on PATH, and the program's own. */
function toSearch({ env, argv: [program = ''] }: RunLaunch): string {
  const own = path.isAbsolute(program) ? [path.dirname(program)] : [];
  return [env['PATH'] ?? '', ...own].join(':');
}

/** The copies; or the workspace itself. */
function toWritable(plan: RunPlan): readonly Mount[] {
  const { folder, workspace, pins } = plan;
  if (pins === undefined) {
    const merged = (name: string) => path.join(folder, name, 'm');
    return toMounts(plan).map(({ lower, folder: name }) => ({ from: merged(name), to: lower }));
  }
  const open = workspace.filter((root) => !pins.closed.includes(root));
  return [...open, ...pins.folders].map((root) => ({ from: root, to: root }));
}
