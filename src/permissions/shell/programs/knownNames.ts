import { LAUNCHERS, LOOSE_LAUNCHERS, SHELLS, SUBCOMMAND_LAUNCHERS } from './launcherTable.ts';
import { PROGRAMS } from './programTable.ts';

/** Build variants of a program: `vim.tiny`, `nc.openbsd`. */
const BUILD = /\.(basic|tiny|nox|gtk\d?|athena|openbsd|traditional|distrib)$/;
/** `python3.11`, `gcc-12`, `bash-5.2`. */
const VERSION = /-?\d+(\.\d+)*$/;
/** GNU programs installed next to the system's own. */
const GNU =
  /^g(sed|awk|grep|find|xargs|tar|sort|tee|dd|cp|mv|ln|install|head|tail|cat|split|csplit|uniq|rm|shred|truncate|touch|mkdir|chmod|chown|nice|nohup|stdbuf|env|time|timeout|make)$/;

/** The table name of a program whose name has a version, a build variant or the prefix `g`. */
export function toKnownName(name: string): string {
  if (isKnown(name)) return name;
  const windows = toWindowsShell(name);
  if (windows !== undefined) return windows;
  const build = name.replace(BUILD, '');
  if (isKnown(build)) return build;
  const plain = build.replace(VERSION, '');
  if (isKnown(plain)) return plain;
  return GNU.test(plain) ? plain.slice(1) : name;
}

/** Windows shells also run from Linux under WSL: `cmd.exe` is `cmd`. */
export function toWindowsShell(name: string): string | undefined {
  return /^(powershell|pwsh|cmd|wsl)\.exe$/i.exec(name)?.[1]?.toLowerCase();
}

function isKnown(name: string): boolean {
  return (
    Object.hasOwn(PROGRAMS, name) ||
    Object.hasOwn(LAUNCHERS, name) ||
    Object.hasOwn(SUBCOMMAND_LAUNCHERS, name) ||
    LOOSE_LAUNCHERS.has(name) ||
    SHELLS.has(name)
  );
}
