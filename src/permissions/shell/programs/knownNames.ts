import type { ShellWord } from '../acts.ts';
import { LAUNCHERS, SHELLS } from './launcherTable.ts';
import { PROGRAMS } from './tables/programTable.ts';
import { LOOSE_LAUNCHERS, SUBCOMMAND_LAUNCHERS } from './tables/subcommandLaunchers.ts';

/** Build variants of a program: `vim.tiny`, `nc.openbsd`. */
const BUILD = /\.(basic|tiny|nox|gtk\d?|athena|openbsd|traditional|distrib|default|textutils)$/;
/** `python3.11`, `gcc-12`, `bash-5.2`. */
const VERSION = /-?\d+(\.\d+)*$/;
/** GNU programs installed next to the system's own. */
const GNU =
  /^g(sed|awk|grep|egrep|fgrep|find|xargs|tar|sort|tee|dd|cp|mv|ln|link|install|head|tail|cat|split|csplit|uniq|rm|rmdir|unlink|shred|shuf|truncate|touch|mkdir|chmod|chown|chgrp|nice|nohup|stdbuf|env|time|timeout|make|patch|base32|base64|b2sum|cksum|md5sum|sha\d+sum|sum|cut|comm|date|df|du|echo|expand|unexpand|fmt|fold|join|ls|nl|paste|pr|readlink|realpath|stat|tac|wc|cpio)$/;

/** Tools for another processor: `aarch64-linux-gnu-gcc`. */
const CROSS =
  /^(?:x86_64|i[3-6]86|aarch64|arm\w*|riscv\w*|mips\w*|powerpc\w*|sparc\w*|s390x|m68k|avr|xtensa\w*|wasm32|loongarch64)-(?:[\w.]+-)*(?=(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cpp|gfortran|ld|as|ar|nm|objdump|objcopy|ranlib|readelf|size|strings|strip|windres|dlltool)(?:[-.\d]|$))/;
/** Other names of a program with a row. */
const ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^(?:[egr]|rg)?(?:vim|view|vimdiff)$|^[gn]vimdiff$|^vimx$/, 'vim'],
  [/^emacs(?:client|-(?:nox|gtk|pgtk|lucid|x))?$/, 'emacs'],
  [/^ipython3?$/, 'python3'],
  [/^c[89]9-(?:gcc|clang)$/, 'gcc'],
  [/^ld\.(?:bfd|gold|lld)$/, 'ld'],
  [/^(?:mingw\d*-|re|color)make$/, 'make'],
  [/^(?:bsd|f|p)make$/, 'bmake'],
  [/^samu$/, 'ninja'],
  [/^gradlew$/, 'gradle'],
  [/^mvn[dw]$/, 'mvn'],
  [/^py\.test$/, 'pytest'],
  [/^bazelisk$/, 'bazel'],
  [/^slogin$/, 'ssh'],
  [/^ghostscript$/, 'gs'],
  [/^c[89]9-gcc$/, 'gcc'],
  [/^(?:gcc|llvm)-ar$/, 'ar'],
  [/^(?:gcc|llvm)-nm$/, 'nm'],
  [/^gold$/, 'ld'],
  [/^perl\d[\d.]*-.+$/, 'perl'],
  [/^fakeroot-(?:sysv|tcp)$/, 'fakeroot'],
  [/^hd$/, 'hexdump'],
  [/^lz(?:ma)?cat$/, 'xzcat'],
  [/^(?:un)?(?:xz|lzma)$/, 'xz'],
  [/^(?:unzstd|zstdcat|zstdmt)$/, 'zstd'],
];

/** The table name of a program whose name has a version, a build variant or the prefix `g`. */
export function toKnownName(name: string): string {
  if (isKnown(name)) return name;
  const windows = toWindowsShell(name);
  if (windows !== undefined) return windows;
  const build = name.replace(CROSS, '').replace(BUILD, '');
  if (isKnown(build)) return build;
  const plain = build.replace(VERSION, '');
  if (isKnown(plain)) return plain;
  const alias = ALIASES.find(([written]) => written.test(plain))?.[1];
  if (alias !== undefined) return alias;
  return GNU.test(plain) ? plain.slice(1) : name;
}

/** The name without version, build variant and processor, for programs without a row: `x86_64-linux-gnu-cpp-12`. */
export function toPlainName(name: string): string {
  return name.replace(CROSS, '').replace(BUILD, '').replace(VERSION, '');
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

/** The row of a sub-command with one of its own, else that of the program. */
export function toRow(name: string, [first, option, module]: readonly string[]): string {
  if (name === 'openssl' && first === 'dgst') return 'openssl dgst';
  const isolated = first === '-I' && option === '-m' && module === 'json.tool';
  return isolated && /^python3?$/.test(name) ? 'python -I -m json.tool' : name;
}

/**
 * Whether the program takes commands from its standard input, where a line may run another program:
 * `!rm x` in ed, `.shell rm x` in sqlite3. Only an allow that names the program covers that.
 */
export function mayRunInput(name: string, words: readonly ShellWord[]): boolean {
  if (READS_COMMANDS.has(name)) return true;
  return READS_SCRIPT.has(name) && words.slice(1).every(({ value }) => /^-./.test(value));
}

/** Whatever its operands are. */
const READS_COMMANDS: ReadonlySet<string> = new Set(
  `at batch crontab dc debugfs duckdb ed ex expect ftp gdb ghci gnuplot gp iex irb jshell lftp lldb m4 mail mailx
  mariadb maxima mongo mongosh mysql nvim octave octave-cli pry psql R red rvim sftp sqlite sqlite3 sqlplus telnet
  tnftp vi view vim vimdiff`.split(/\s+/),
);

/** If no operand names a script. */
const READS_SCRIPT: ReadonlySet<string> = new Set(
  `bb clisp clj clojure elixir erl fennel gjs groovysh guile janet ocaml qjs racket raku sage sbcl scala swift
  wish`.split(/\s+/),
);
