import { homedir } from 'node:os';
import { toCodeSpan } from '../../base/codeSpan.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { type SubjectResult, toSubjectResult } from '../decide/subjectResult.ts';
import { isBelow, isBelowFolded, resolvePath } from '../patterns/paths.ts';
import { type Act, type CommandAct, ELSEWHERE, type ShellWord } from '../shell/acts.ts';
import { toProgramName } from '../shell/bash/command.ts';
import { DISK_TOOLS, isDestructive, REMOVERS, WIPERS } from '../shell/effects.ts';
import { joinWords } from '../shell/words.ts';
import { findLeak } from './watchLeak.ts';

/**
 * The built-in watchdog's findings in a command line, whatever the rules allow: destroying system
 * paths is denied (spec CS-9), and a line that reads a secret and accesses the network asks.
 */
export function watchLine(acts: readonly Act[], compiled: Evaluation): readonly SubjectResult[] {
  const found: SubjectResult[] = [];
  for (const act of acts) {
    const target =
      act.kind === 'command' && act.tightensOnly !== true
        ? findDestructive(act, acts, compiled)
        : undefined;
    if (target !== undefined) {
      found.push(
        toFinding(
          act,
          'deny',
          `The command would destroy ${target}, which belongs to the system or the user.`,
        ),
      );
    }
    if (act.kind === 'file' && act.access === 'fs.write' && BLOCK_DEVICE.test(act.target)) {
      found.push(
        toFinding(
          act,
          'deny',
          `The command writes directly to the disk ${toCodeSpan(act.target)}.`,
        ),
      );
    }
  }
  const leak = findLeak(acts, compiled);
  if (leak !== undefined) {
    found.push(
      toFinding(leak.act, 'ask', `The command reads ${leak.secret} and also accesses the network.`),
    );
  }
  return found;
}

function toFinding(act: Act, decision: 'ask' | 'deny', why: string): SubjectResult {
  const target =
    act.kind === 'command' ? joinWords(act.words) : act.kind === 'file' ? act.target : act.url;
  return {
    ...toSubjectResult({ permission: 'watchdog', target }, decision, undefined, why),
    watchdog: true,
  };
}

const BLOCK_DEVICE = /(^|=)\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|md|loop|mem|kmem)/;
/** A drive, as wipers take it on Windows. */
const DRIVE = /^[a-z]:\\?$/i;
/** Everything below these folders belongs to the system. */
const SYSTEM_TREES = [
  '/etc',
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/boot',
  '/dev',
  '/proc',
  '/sys',
  '/System',
  '/Library',
  '/Applications',
  '/private/etc',
  '/private/var/db',
];
/** These folders belong to the system, but files below them may not. */
const SYSTEM_FOLDERS = [
  '/',
  '/home',
  '/Users',
  '/root',
  '/opt',
  '/var',
  '/var/lib',
  '/var/log',
  '/srv',
  '/mnt',
  '/media',
  '/private',
  '/Volumes',
];
const WINDOWS_FOLDERS =
  /^[a-z]:\/?$|^[a-z]:\/(windows|program files( \(x86\))?|programdata)(\/|$)|^[a-z]:\/users(\/[^/]+)?\/?$/i;
/** Everything below these folders belongs to Windows. */
const WINDOWS_TREES = /^[a-z]:\/(windows|program files( \(x86\))?)(\/|$)/i;
/** Spellings of the home folder and the root that aren't literal. */
const WILD_TARGET =
  /^(\/\*|~[\w.-]*\/?\*?|~\/\.?\*|"?\$\{?HOME\}?"?(\/?\*?)|\/\{.*\}|[a-z]:[\\/]\*?|(\$env:|%)(USERPROFILE|SYSTEMROOT|WINDIR|SYSTEMDRIVE|PROGRAMFILES|HOMEDRIVE)%?[\\/]?\*?)$/i;

function findDestructive(
  act: CommandAct,
  acts: readonly Act[],
  compiled: Evaluation,
): string | undefined {
  const written = toProgramName(act.words[0]?.value ?? '', compiled.policy.platform);
  const name = compiled.policy.shell === 'bash' ? written : written.toLowerCase();
  const words = act.words.slice(1);
  const values = words.map(({ value }) => value);
  if (WIPERS.test(name) && values.some((value) => BLOCK_DEVICE.test(value) || DRIVE.test(value)))
    return `a disk (${name})`;
  const erases = name === 'diskutil' && /^(secure)?(erase|zero|partition)/i.test(values[0] ?? '');
  if (DISK_TOOLS.test(name) || erases) return `a disk (${name})`;
  const whole = isDestructive(name, values);
  if (!whole && !REMOVERS.has(name)) return undefined;
  for (const { value, literal } of (name === 'find' ? findStarts(words) : words).flatMap(
    withGlob,
  )) {
    if (whole && WILD_TARGET.test(value)) return toCodeSpan(value);
    const path = literal ? value : wildFolder(value);
    if (path === undefined) continue;
    // dd only reads from `if=`.
    const target = path.replace(/^of=/, '');
    if (BLOCK_DEVICE.test(target)) return toCodeSpan(target);
    if (isSystemPath(target, whole, findFolders(target, acts, compiled), compiled))
      return toCodeSpan(value);
  }
  return undefined;
}

/** A match, and the glob as written, which may match more when it runs. */
function withGlob(word: ShellWord): readonly ShellWord[] {
  return word.glob === undefined ? [word] : [word, { value: word.glob, literal: false }];
}

/** The folders that `find` searches; the words after them are tests. */
function findStarts(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex(({ value }) => /^[-(!]/.test(value) && !/^-[HLP]$/.test(value));
  return end < 0 ? words : words.slice(0, end);
}

/** The folder whose entries a wildcard word matches: `/etc/*`, `"$HOME"/.*`, `/e*`. */
function wildFolder(written: string): string | undefined {
  const text = written.replace(/["']/g, '').replace(/^\$(HOME(?!\w)|\{HOME\})/, '~');
  if (/^\/[^/]*[*?[{]/.test(text)) return '/';
  const folder = text.replace(/\/(\*+|\.[*?]+|\{.*\})\/?$/, '');
  return folder === text || /[*?[{$`]/.test(folder) ? undefined : folder;
}

/** The folders that a relative word may start at, because the line may change the folder first. */
function findFolders(
  target: string,
  acts: readonly Act[],
  compiled: Evaluation,
): readonly string[] {
  const folders = acts.flatMap((act) =>
    act.kind === 'file' && act.target === target && act.access === 'fs.write' ? act.folders : [],
  );
  return [...new Set([compiled.policy.folders.cwd, ...folders])].filter(
    (each) => each !== ELSEWHERE,
  );
}

/**
 * `whole`: the command affects everything below a folder. Otherwise only files in the system's own
 * trees count.
 */
function isSystemPath(
  target: string,
  whole: boolean,
  folders: readonly string[],
  { policy: { platform }, roots, links }: Evaluation,
): boolean {
  const slashed = target.replaceAll('\\', '/');
  if ((whole ? WINDOWS_FOLDERS : WINDOWS_TREES).test(slashed))
    return !roots.workspace.some((root) => isBelowFolded(slashed, root, platform));
  const home = homedir();
  return folders.some((cwd) => {
    const resolved = resolvePath(target, { cwd, platform, links });
    if (!resolved.ok) return false;
    const { path } = resolved;
    if (roots.workspace.some((root) => isBelow(path, root))) return false;
    if (whole && (path === home || SYSTEM_FOLDERS.includes(path))) return true;
    // Other users' home folders may lie in a system tree, and users share `/usr/local`.
    if (isBelow(path, home) || (isBelow(path, '/usr/local') && path !== '/usr/local')) return false;
    if (path === '/dev/null' || path.startsWith('/dev/shm/') || path.startsWith('/dev/fd/'))
      return false;
    return SYSTEM_TREES.some((tree) => isBelow(path, tree));
  });
}
