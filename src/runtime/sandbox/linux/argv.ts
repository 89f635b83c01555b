import { existsSync, readlinkSync, realpathSync } from 'node:fs';

/** What a sandbox contains. All paths are absolute and without a NUL. */
export interface View {
  /** Workspace folders that are mounted read-only, below what is writable. */
  readonly closed: readonly string[];
  /** The workspace folders, or their copies. */
  readonly writable: readonly Mount[];
  /** Folders outside the workspace that are mounted read-only. */
  readonly tools: readonly string[];
  /** Parts of the workspace that are mounted read-only. */
  readonly readOnly: readonly string[];
  /** Empty files and folders that cover others. */
  readonly masks: readonly Mask[];
  readonly home: Mount;
  /** The socket of the run's proxy. */
  readonly egress?: Mount;
  /** Lists the mounts, which the wrapper compares with those that there are. */
  readonly expected: Mount;
  /** The host's folder behind /tmp and /var/tmp. */
  readonly temporary: string;
  readonly cwd: string;
  /** Set inside only: one such as BASH_ENV would act on what runs on the host before the sandbox. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Mount {
  /** On the host. */
  readonly from: string;
  /** In the sandbox. */
  readonly to: string;
}

export interface Mask extends Mount {
  /** An empty folder; otherwise an empty file. */
  readonly isFolder: boolean;
}

/** Descriptors of a run: the filter, what the wrapper reports, the options of bwrap, and the command if it comes later. */
export const [FILTER_FD, REPORT_FD, OPTIONS_FD, COMMAND_FD] = [3, 4, 5, 6];
/** A second one for the report, which bwrap closes after use. */
export const INFO_FD = 7;

/** Where the wrapper finds the mounts that it has to have. */
export const EXPECTED = '/run/gatehouse-mounts';

/** A variable that says that all options have arrived: a host may be killed while it writes them. */
export const ARRIVED = 'GATE_OPTIONS';

/** Variables that hold one of the command's, as `NAME=value`, begin with this. */
export const FOR_COMMAND = 'GATE_SET_';

/** What of the system is mounted, read-only. */
export const SYSTEM_FOLDERS =
  '/usr /etc /opt /nix/store /sys/devices/system/cpu /var/lib/dpkg /var/lib/alternatives'.split(
    ' ',
  );
/** Links to some of them on most systems, and folders on others. */
export const SYSTEM_LINKS = '/bin /sbin /lib /lib32 /lib64 /libx32'.split(' ');
/** bwrap leaves these writable to root without capabilities; core_pattern would run a program. */
const KERNEL = 'sys sysrq-trigger irq bus acpi fs scsi mtrr';

/** Options of bwrap for a view. Each of them is needed: a test removes them one by one. */
export function buildOptions(view: View): readonly string[] {
  const uid = String(process.getuid?.() ?? 0);
  const gid = String(process.getgid?.() ?? 0);
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net'],
    ...['--unshare-cgroup-try', '--uid', uid, '--gid', gid, '--disable-userns'],
    ...['--cap-drop', 'ALL', '--die-with-parent', '--new-session', '--hostname', 'sandbox'],
    ...systemMounts(),
    ...['--proc', '/proc'],
    ...KERNEL.split(' ').flatMap((name) => bind('--ro-bind-try', `/proc/${name}`)),
    // Whoever changes process 1 outlives the host: the kernel then no longer ends it with bwrap.
    ...['--tmpfs', '/proc/1', '--remount-ro', '/proc/1'],
    ...['--dev', '/dev'],
    ...['--bind', view.temporary, '/tmp', '--bind', view.temporary, '/var/tmp'],
    ...['--bind', view.home.from, view.home.to],
    ...view.tools.flatMap((folder) => bind('--ro-bind', folder)),
    ...view.closed.flatMap((folder) => bind('--ro-bind', folder)),
    ...view.writable.flatMap(({ from, to }) => ['--bind', from, to]),
    ...view.readOnly.flatMap((file) => bind('--ro-bind', file)),
    ...view.masks.flatMap(({ from, to }) => ['--bind', from, to]),
    ...(view.egress ? ['--bind', view.egress.from, view.egress.to] : []),
    ...['--ro-bind', view.expected.from, view.expected.to],
    ...setForCommand(view.variables),
    ...['--remount-ro', '/', '--chdir', view.cwd, '--seccomp', String(FILTER_FD)],
    // The last one: the wrapper runs nothing where a part of the options is missing.
    ...['--setenv', ARRIVED, 'yes'],
  ];
}

/**
 * The wrapper sets them for the command alone: BASH_ENV or LD_PRELOAD would act on the wrapper, too. A name that is
 * none for bash acts on nothing there, but for the functions that bash takes from its environment. The wrapper's own
 * names are nobody else's.
 */
function setForCommand(variables: View['variables']): readonly string[] {
  return Object.entries(variables).flatMap(([name, value], at) => {
    if (name.startsWith('GATE_')) return [];
    if (/^[A-Za-z_]\w*$/.test(name)) return ['--setenv', `${FOR_COMMAND}${at}`, `${name}=${value}`];
    return name.startsWith('BASH_FUNC_') ? [] : ['--setenv', name, value];
  });
}

function systemMounts(): readonly string[] {
  const links = SYSTEM_LINKS.flatMap((link) => {
    const target = readLink(link);
    return target === undefined ? bind('--ro-bind-try', link) : ['--symlink', target, link];
  });
  const resolver = toReal('/etc/resolv.conf');
  return [
    ...SYSTEM_FOLDERS.flatMap((folder) => bind('--ro-bind-try', folder)),
    ...links,
    ...['--tmpfs', '/run', '--dir', '/var/tmp'],
    ...(resolver?.startsWith('/run/') ? bind('--ro-bind', resolver) : []),
  ];
}

function bind(option: string, file: string): readonly string[] {
  return [option, file, file];
}

function readLink(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    // A folder, or nothing.
    return undefined;
  }
}

function toReal(file: string): string | undefined {
  return existsSync(file) ? realpathSync(file) : undefined;
}
