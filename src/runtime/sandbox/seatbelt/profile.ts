import path from 'node:path';
import { failure, type Outcome, success } from '../../../base/outcome.ts';

/** What a command may see on a Mac. It may write in `temporary` only. All paths are absolute, links resolved. */
export interface LookView {
  /** The workspace folders. */
  readonly workspace: readonly string[];
  /** Folders and files outside of them, such as those of programs. */
  readonly tools: readonly string[];
  /** Files and folders that are hidden, wherever they lie. */
  readonly masks: readonly string[];
  /** The session's folder for temporary files. */
  readonly temporary: string;
}

/** The system's own programs, libraries and settings. */
const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/System', '/Library', '/opt', '/nix/store', '/private/etc'],
  ...['/private/var/db/timezone', '/private/var/db/dyld', '/private/var/select'],
  '/Applications/Xcode.app/Contents/Developer',
];

/** Parts of them that hold what is no program's business. */
const HIDDEN = [
  ...['/Library/Keychains', '/private/etc/master.passwd'],
  ...['/private/etc/sudoers', '/private/etc/sudoers.d'],
];

const DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/fd'];

/** Links of the system, by which programs are named. */
const LINKS = ['/', '/etc', '/tmp', '/var', '/private', '/private/var', '/dev', '/Users'];

/**
 * The rules for `sandbox-exec -p`: nothing but looking at these files, and no network. Later rules win, so what is
 * hidden comes last. Fails for a path that can't be written in a rule without doubt: another file would be hidden or
 * shown.
 */
export function buildProfile(view: LookView): Outcome<string> {
  const { workspace, tools, masks, temporary } = view;
  const read = [...SYSTEM, ...tools, ...workspace, temporary];
  const unsafe = [...read, ...masks].find((file) => !isSafe(file));
  if (unsafe !== undefined) {
    return failure(
      `The sandbox of this system can't name ${JSON.stringify(unsafe)}, because of the characters in it.`,
    );
  }
  const parents = new Set([...LINKS, ...[...tools, ...workspace, temporary].flatMap(listParents)]);
  return success(
    [
      '(version 1)',
      '(deny default)',
      // What any program needs of the kernel. Other services of the system could act for it outside.
      '(allow process-fork sysctl-read ipc-posix-sem)',
      '(allow signal process-info* (target same-sandbox))',
      '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
      toRule('allow process-exec', 'subpath', read),
      toRule('allow file-read*', 'subpath', [...read, ...DEVICES]),
      toRule('allow file-read-metadata', 'literal', [...parents]),
      // The loader of programs reads this folder.
      toRule('allow file-read*', 'literal', ['/']),
      toRule('allow file-write-data', 'literal', ['/dev/null', '/dev/zero']),
      toRule('allow file-write*', 'subpath', [temporary]),
      toRule('deny file-read* file-write* process-exec', 'subpath', [...HIDDEN, ...masks]),
      '(deny network*)',
      '',
    ].join('\n'),
  );
}

function toRule(what: string, filter: 'subpath' | 'literal', files: readonly string[]): string {
  return `(${what}\n${files.map((file) => `  (${filter} "${file}")`).join('\n')})`;
}

/**
 * Nothing in a string of the rules means anything else than itself but quotes and backslashes. A lone surrogate stands
 * for bytes that are not UTF-8.
 */
function isSafe(file: string): boolean {
  return path.isAbsolute(file) && !UNSAFE.test(file) && file.isWellFormed();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused.
const UNSAFE = /["\\\u0000-\u001f\u007f\ufffd]/;

function listParents(file: string): readonly string[] {
  const parent = path.dirname(file);
  return parent === file ? [] : [parent, ...listParents(parent)];
}
