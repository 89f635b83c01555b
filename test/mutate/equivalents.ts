/**
 * Mutants that no input tells apart from the original. They aren't tried. `line` is the line of the
 * source without its indentation, `to` what `from` is changed into.
 */
export interface Equivalent {
  readonly file: string;
  readonly line: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'decide/otherNames.ts',
    line: 'if (stats?.isFile() && stats.nlink > 1) found.add(`${stats.dev}:${stats.ino}`);',
    from: ' > ',
    to: ' >= ',
    why: 'A file with one name has no other name that a sweep could find.',
  },
  {
    file: 'disk/lookBelow.ts',
    line: 'if (stats !== undefined && stats.nlink > 1) this.#linked.add(`${stats.dev}:${stats.ino}`);',
    from: ' > ',
    to: ' >= ',
    why: 'The second walk finds no other name of a file with one name.',
  },
  {
    file: 'shell/bash/redirections.ts',
    line: 'words.splice(1 + args.filter((item) => item.pos < pos).length, 0, rest);',
    from: ' < ',
    to: ' <= ',
    why: 'A redirection and an argument never start at the same place.',
  },
  {
    file: 'shell/bash/links.ts',
    line: "return path.split('/').filter((name) => name !== '' && name !== '.');",
    from: ' && ',
    to: ' || ',
    why: 'No operand has these names, and they lead over no other link; what is spread over `.` asks anyway.',
  },
  {
    file: 'moves/movedNames.ts',
    line: 'continue;',
    from: 'continue;',
    to: 'break;',
    why: 'Without a commit, the other heads are those that the line brought before, with all their names.',
  },
  {
    file: 'shell/programs/unnamed.ts',
    line: 'option?.test(value) === true && index > 0 ? [index] : [],',
    from: ' > ',
    to: ' >= ',
    why: 'These options begin with a dash, which no name of these programs does.',
  },
  {
    file: 'shell/windows/powershell.ts',
    line: "if (at > 0 && name === 'invoke-expression') {",
    from: ' > ',
    to: ' >= ',
    why: 'The first command has no other before it.',
  },
  {
    file: 'patterns/pathPattern.ts',
    line: 'const head = names.slice(0, wild < 0 ? names.length : wild);',
    from: ' < ',
    to: ' <= ',
    why: 'The pattern is absolute, so its first name is empty or a drive and has no wildcard.',
  },
  {
    file: 'shell/outline/outline.ts',
    line: 'if (end > start) words.add(`${start}-${end}`);',
    from: ' > ',
    to: ' >= ',
    why: 'No range is empty. Readings without a word get the same one, and others differ anyway.',
  },
  {
    file: 'evaluate/searchFilter.ts',
    line: 'if (patterns.length < watched.length) return shows;',
    from: ' < ',
    to: ' <= ',
    why: 'Every name is evaluated, which only takes longer.',
  },
  {
    file: 'shell/programs/unnamed.ts',
    line: 'const plain = words.slice(1).filter(({ value }) => !COPY_FLAGS.test(value));',
    from: '.slice(1)',
    to: '.slice(0)',
    why: "The program's own name is no verb of `COPIERS`, and only the words from the verb on count.",
  },
  {
    file: 'shell/windows/powershellCommand.ts',
    line: 'analyzeCmdlet({ ...cmdlet, positions: [own] }, words, folders, inner, true);',
    from: 'true',
    to: 'false',
    why: 'The only position is that of every word, in whatever order they are.',
  },
  {
    file: 'shell/bash/walk.ts',
    line: "if (child.type === 'CaseItem') end = joinScopes(end, walk.scope);",
    from: ' === ',
    to: ' !== ',
    why: '`widen` gives the scope at the start every value that a branch sets.',
  },
  {
    file: 'repository/trackedFiles.ts',
    line: 'for (const oldest of known.keys()) if (known.size > KNOWN_LIMIT) known.delete(oldest);',
    from: ' > ',
    to: ' >= ',
    why: 'One index fewer is cached, and is read again.',
  },
  {
    file: 'rules/ruleList.ts',
    line: 'if (all.length < SHORT) return { all, naming: find };',
    from: ' < ',
    to: ' <= ',
    why: 'One list more is filtered each time, to the same rules.',
  },
  {
    file: 'rules/exactCall.ts',
    line: `([token]) => token.startsWith('"') || String(Number(token)) === token,`,
    from: '.startsWith(',
    to: '.endsWith(',
    why: 'A token that starts with a quote also ends with one, and a number does neither.',
  },
  {
    file: 'rules/exactCall.ts',
    line: `token.startsWith('"') ? \`"s\${token.slice(1)}\` : JSON.stringify(\`n\${token}\`),`,
    from: '.startsWith(',
    to: '.endsWith(',
    why: 'A token that starts with a quote also ends with one, and a number does neither.',
  },
  {
    file: 'patterns/glob.ts',
    line: 'if (segment === undefined) continue;',
    from: 'continue;',
    to: 'break;',
    why: 'States are in ascending order, and only the last of all has no segment.',
  },
  {
    file: 'decide/nearArguments.ts',
    line: 'const [long, short] = words.length >= others.length ? [words, others] : [others, words];',
    from: ' >= ',
    to: ' > ',
    why: 'Texts of as many words differ in the same place, whichever is the first.',
  },
  {
    file: 'moves/movedFiles.ts',
    line: "if (step.how === 'restore') continue;",
    from: 'continue;',
    to: 'break;',
    why: 'No command takes another step after it restores files.',
  },
  {
    file: 'shell/programs/remotes/gitRemotes.ts',
    line: 'for (let index = from; index < words.length; index += 1) {',
    from: ' < ',
    to: ' <= ',
    why: 'Behind the last word an empty one is read, which names neither a host nor a path.',
  },
  {
    file: 'shell/words.ts',
    line: "return bare.includes('{') && comma >= 0 && bare.includes('}', comma);",
    from: ' >= ',
    to: ' > ',
    why: 'A comma is looked for behind the brace, so none is found at the start.',
  },
  {
    file: 'shell/bash/globs.ts',
    line: 'if (top === undefined || names === undefined) return undefined;',
    from: ' || ',
    to: ' && ',
    why: 'Without either of them the next lines throw, which is caught to the same result.',
  },
  {
    file: 'sweeps/sweepRequest.ts',
    line: 'return rules.length > 0 || findLinked(act, file.path, compiled).size > 0;',
    from: ' > ',
    to: ' >= ',
    why: 'One folder more is looked at. Without a rule nothing in it counts, nor that the look ended early.',
  },
  {
    file: 'shell/windows/cmdlets.ts',
    line: "return /^(file)?path$/.test(name) && named.some((each) => NAMED[each] === 'path');",
    from: '.some(',
    to: '.every(',
    why: 'Only `-p` also begins other names, and only for Select-String another position before the path: what is left then is a text or read either way.',
  },
];
