import type { ShellWord } from '../acts.ts';

/** Upper-case names that lines use for themselves, and that programs don't read. */
const OWN: ReadonlySet<string> = new Set(
  `FILE FILES DIR DIRS FOLDER SRC EXT NAME LINE TEXT WORD PATTERN QUERY COUNT START END OLD NEW BRANCH COMMIT SHA
  D F P X Y FOO BAR`.split(/\s+/),
);

/** Whether it is a variable of the line: lower-case, except for names that programs read. */
export function isOwnVariable(name: string): boolean {
  if (OWN.has(name)) return true;
  return /^[a-z]\w{0,15}$/.test(name) && !/proxy|^npm_|^histchars$|^auto_resume$/.test(name);
}

/** Programs that read no variable with such a name, and start nothing but what their words name. */
const DEAF: ReadonlySet<string> = new Set(
  `: [ cd echo exit export false printf pwd read test true wait
  basename cat cksum cmp comm cut date diff dirname du df expand expr file find fmt fold grep head ls
  md5sum nl nproc od paste readlink realpath rev rg sed seq sha1sum sha256sum sleep sort stat tac tail timeout tr
  tree uname uniq wc whoami xargs`.split(/\s+/),
);

/** Subcommands of git that run no hook. */
const DEAF_GIT =
  /^(blame|cat-file|describe|diff|grep|log|ls-files|ls-tree|merge-base|rev-list|rev-parse|shortlog|show|status)$/;

/**
 * Whether a command reads no variable of the line's own, so that setting one for it changes nothing. Programs
 * that its words name are commands of their own.
 */
export function ignoresOwnVariables(words: readonly ShellWord[]): boolean {
  const [program, verb] = words;
  if (program?.literal !== true) return false;
  if (program.value === 'git') return verb?.literal === true && DEAF_GIT.test(verb.value);
  return DEAF.has(program.value);
}
