/** Languages and conventions whose operands aren't only files. */
export type Script =
  | 'sed'
  | 'docker'
  | 'awk'
  | 'jq'
  | 'yq'
  | 'make'
  | 'request'
  | 'gh'
  | 'response'
  | 'compiler'
  | 'formats'
  | 'date'
  | 'zones'
  | 'debian'
  | 'ps'
  | 'archive'
  | 'packages'
  | 'sockets'
  | 'stores'
  | 'dotnet'
  | 'pandoc'
  | 'go';

/** The known arguments of a program. Option names are from its manual; long names without `--`. */
export interface Program {
  /** How its operands are used. `text`: they aren't files. Absent: unknown. */
  readonly operands?: 'reads' | 'writes' | 'copies' | 'text';
  /** Operands before the files: `grep PATTERN file`. */
  readonly skip?: number;
  /**
   * Options that replace these operands, so that every operand is a file: `grep -e PATTERN file`.
   */
  readonly instead?: string;
  /** Options with a value that isn't a file, as the next word or attached. */
  readonly valued?: string;
  /**
   * Of the long options with a value, those that take two words, whatever these look like. The second counts as an
   * operand, too: `jq --rawfile name file`.
   */
  readonly pairs?: string;
  /** Options with a value that can only be attached and is no file: `date -Iseconds`, `grep --color=auto`. */
  readonly optional?: string;
  /**
   * How several letters in one word are read. `apart`: the value of each letter is the next word, and
   * the letters behind it are options, too: `tree -Lo 2 out`. `first`: only the first one counts:
   * `xxd -bl` is `xxd -b`. Absent: what follows a letter with a value is its value.
   */
  readonly letters?: 'apart' | 'first';
  /**
   * Its options end at the first operand, at least on some systems, so that words with a dash behind
   * it are operands, too: `xxd a.txt -p` writes a file `-p`.
   */
  readonly optionsFirst?: true;
  /** Options that run another program, or load code. */
  readonly runs?: string;
  /** Options that write a file or change it in place. */
  readonly writes?: string;
  /** Of `writes` and `runs`, those that change the operands: `sed -i`, `find -delete`. */
  readonly edits?: string;
  /** Options with a value that is a file to read; some of these also run something. */
  readonly reads?: string;
  /** Options with a folder in which it reads and writes; as the next word, it is an operand: `tar -C dir`. */
  readonly workFolders?: string;
  /** Options with a file that lists more files, which the line doesn't name. */
  readonly lists?: string;
  /** Options that include whole folders; `*` = always. */
  readonly sweeps?: string;
  /** Options that follow links below a folder; `*` = always. Names alone may be listed there. */
  readonly follows?: string;
  /** Options without which `follows` has no effect, beside `sweeps`. */
  readonly descends?: string;
  /** Options after which links aren't followed. */
  readonly stays?: string;
  /** Of an archive among its operands it reads the members, which may be other files. */
  readonly archives?: true;
  /** Long options are written with one dash. */
  readonly words?: true;
  /** A word with one dash may be letters or one long option: npm reads `-git=x` as `--git=x`. */
  readonly oneDash?: true;
  /** Without operands it reads the current folder, which counts if the line changed it. */
  readonly here?: true;
  /** Its operands contain code, or words in a format of their own (scripts.ts). */
  readonly script?: Script;
  /** Of `words`, letters with a value that may be attached: `gcc -Bdir`. */
  readonly attached?: string;
  /** Operands are hosts or URLs. `named`: any word may contain one. */
  readonly hosts?: 'all' | 'first' | 'remote' | 'named';
  /** Options with a value that is a host or a URL. */
  readonly addresses?: string;
  /** None of its arguments make it run or write anything: `echo -o x`. */
  readonly inert?: true;
  /**
   * Every operand from this index on is code or a file to write; an allow must contain it
   * literally.
   */
  readonly spelledFrom?: number;
  /** Any of its words may be a command that it runs, as for a program without a row. */
  readonly starts?: true;
  /**
   * First operands, or the first two joined with a plus, after which the rest is code or settings
   * that run: `deno eval`.
   */
  readonly codeWords?: string;
}
