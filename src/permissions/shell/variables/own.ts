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
