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
];
