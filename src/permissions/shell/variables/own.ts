/** Upper-case names that lines use for themselves, and that programs don't read. */
const OWN: ReadonlySet<string> = new Set(
  'FILE FILES DIR DIRS NAME LINE PATTERN COUNT START END BRANCH COMMIT SHA X Y FOO BAR'.split(' '),
);

/** Whether it is a variable of the line: lower-case, except for names that programs read. */
export function isOwnVariable(name: string): boolean {
  if (OWN.has(name)) return true;
  return /^[a-z]\w{0,15}$/.test(name) && !/proxy|^npm_|^histchars$|^auto_resume$/.test(name);
}
