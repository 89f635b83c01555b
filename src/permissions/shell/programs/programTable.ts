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
  /** Letters with a value that can only be attached: `date -Iseconds`. */
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

const HASH: Program = { operands: 'reads', valued: 'a algorithm' };
const READER: Program = { operands: 'reads' };
/** GNU's tools for object files take more options from `@file`. */
const BINARY: Program = {
  operands: 'reads',
  script: 'response',
  archives: true,
  runs: 'plugin',
};
const GREP: Program = {
  operands: 'reads',
  skip: 1,
  instead: 'e f regexp file',
  valued:
    'A B C D d e m regexp after-context before-context max-count include exclude exclude-dir binary-files devices directories label',
  reads: 'f file exclude-from',
  sweeps: 'r R recursive dereference-recursive',
  follows: 'R dereference-recursive',
};
/** Without `-r` it compares the files directly in two folders. */
const DIFF: Program = {
  operands: 'reads',
  valued: 'U C W I x label exclude palette',
  reads: 'from-file to-file X exclude-from',
  sweeps: '*',
  follows: '*',
  stays: 'no-dereference',
};
/** Of a compiler, what is passed to the assembler or linker may name a file to write. */
const COMPILER: Program = {
  script: 'compiler',
  attached: 'o B T',
  operands: 'reads',
  words: true,
  writes: 'o output MF MJ aux-info dumpbase dumpdir auxbase serialize-diagnostics',
  runs: 'wrapper fplugin specs B T Xlinker Xassembler Xpreprocessor iplugindir fmodule-mapper fuse-ld fpass-plugin ld-path config ccc-gcc-name',
};
const INTERPRETER = 'c e E eval p print i r require import m loader';
/** `entry-url` makes the first operand a URL, and `data:` is code. An inspector runs what it is sent. */
const NODE_RUNS = `${INTERPRETER} entry-url inspect inspect-brk inspect-wait inspect-port debug-port experimental-loader experimental-network-imports experimental-policy env-file env-file-if-exists openssl-config experimental-config-file experimental-default-config-file run build-snapshot build-snapshot-config build-sea snapshot-blob test-reporter test-global-setup icu-data-dir`;
const NODE_WRITES =
  'redirect-warnings cpu-prof-dir cpu-prof-name heap-prof-dir heap-prof-name diagnostic-dir report-dir report-directory report-filename test-reporter-destination trace-event-file-pattern tls-keylog localstorage-file experimental-sea-config';
const PACKER: Program = { operands: 'copies' };
/** Its first operand says what it does: `7z a x.7z src`. */
const COMMAND_PACKER: Program = { operands: 'copies', skip: 1, follows: '*' };
/** An editor displays the files it opens, and may write them. */
const EDITOR: Program = { operands: 'copies' };

const OPENSSL: Program = {
  script: 'stores',
  words: true,
  runs: 'engine provider provider-path config sess_out keylogfile prexit',
  writes: 'out keyout CAserial writerand',
  reads: 'in inkey CAfile key cert',
  addresses: 'connect proxy host url',
  valued: 'subj days',
  spelledFrom: 99,
};

/**
 * Programs with relevant flags. For a program without a row, only the rule for the command decides.
 */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  echo: { operands: 'text', inert: true },
  printf: { operands: 'text', inert: true },
  true: { operands: 'text', inert: true },
  false: { operands: 'text', inert: true },
  ':': { operands: 'text', inert: true },
  test: { operands: 'text', inert: true },
  '[': { operands: 'text', inert: true },
  kill: { operands: 'text' },
  cd: { operands: 'text' },
  pushd: { operands: 'text' },
  popd: { operands: 'text' },
  sleep: { operands: 'text' },
  seq: { operands: 'text' },
  expr: { operands: 'text' },
  basename: { operands: 'text' },
  dirname: { operands: 'text' },
  which: { operands: 'text' },
  type: { operands: 'text' },
  cat: READER,
  tac: READER,
  nl: READER,
  rev: READER,
  bat: { operands: 'reads', runs: 'pager', valued: 'l r H language line-range style theme paging' },
  head: { operands: 'reads', valued: 'n c lines bytes' },
  tail: { operands: 'reads', valued: 'n c s lines bytes sleep-interval pid max-unchanged-stats' },
  wc: { operands: 'reads', lists: 'files0-from' },
  cut: { operands: 'reads', valued: 'b c d f bytes characters delimiter fields output-delimiter' },
  paste: { operands: 'reads', valued: 'd delimiters' },
  fold: { operands: 'reads', valued: 'w width' },
  fmt: READER,
  expand: READER,
  column: READER,
  pr: READER,
  od: READER,
  hexdump: READER,
  strings: BINARY,
  base32: READER,
  cksum: READER,
  sum: READER,
  look: READER,
  xxd: {
    operands: 'reads',
    writes: 'r revert',
    valued: 'c g l o s cols groupsize len offset seek skip',
    letters: 'first',
    optionsFirst: true,
    spelledFrom: 1,
  },
  base64: { operands: 'reads', writes: 'o output', valued: 'w wrap b', reads: 'i input' },
  md5sum: HASH,
  sha1sum: HASH,
  sha224sum: HASH,
  sha256sum: HASH,
  sha512sum: HASH,
  b2sum: HASH,
  shasum: HASH,
  md5: HASH,
  diff: DIFF,
  colordiff: DIFF,
  cmp: READER,
  comm: READER,
  join: READER,
  delta: { operands: 'reads', runs: 'pager config' },
  uniq: {
    operands: 'reads',
    valued: 'f s w skip-fields skip-chars check-chars',
    optionsFirst: true,
    spelledFrom: 1,
  },
  file: { operands: 'reads', writes: 'C compile', reads: 'm magic-file', lists: 'f files-from' },
  stat: { operands: 'reads', valued: 'c format printf' },
  ls: {
    follows: 'L dereference',
    descends: 'R recursive',
    operands: 'reads',
    here: true,
    // On macOS, `I`, `w` and `T` take no word.
    valued: 'sort time hide ignore format block-size time-style indicator-style',
  },
  exa: { follows: 'follow-symlinks', operands: 'reads', here: true },
  eza: { follows: 'follow-symlinks', operands: 'reads', here: true },
  tree: {
    follows: 'l',
    operands: 'reads',
    here: true,
    writes: 'o',
    reads: 'gitfile infofile',
    valued: 'L P I H T charset filelimit sort timefmt',
    letters: 'apart',
  },
  du: {
    follows: 'L dereference',
    operands: 'reads',
    here: true,
    valued: 'd max-depth B t threshold exclude',
    reads: 'X exclude-from',
    lists: 'files0-from',
  },
  df: { operands: 'reads', valued: 't x B type exclude-type' },
  readlink: READER,
  realpath: READER,
  source: READER,
  '.': READER,
  less: {
    operands: 'reads',
    runs: 'k o O K lesskey-file lesskey-src lesskey-content log-file LOG-FILE',
    valued: 'p P t T x y z j',
    spelledFrom: 99,
  },
  more: { operands: 'reads', runs: 'p' },
  most: READER,
  view: { ...EDITOR, runs: 'c cmd S s u W w' },
  grep: GREP,
  findstr: { operands: 'reads', skip: 1 },
  egrep: GREP,
  fgrep: GREP,
  rgrep: { ...GREP, sweeps: '*' },
  zgrep: GREP,
  zcat: READER,
  gzcat: READER,
  bzcat: READER,
  xzcat: READER,
  rg: {
    here: true,
    follows: 'L follow',
    operands: 'reads',
    skip: 1,
    instead: 'e f regexp file files type-list',
    valued:
      'A B C E e g j M m r t T after-context before-context context encoding regexp glob iglob threads max-columns max-count replace type type-not max-depth d sort sortr color colors engine max-filesize path-separator context-separator',
    runs: 'pre hostname-bin pre-glob search-zip z',
    reads: 'f file ignore-file',
    sweeps: '*',
  },
  ag: {
    here: true,
    follows: 'f follow',
    operands: 'reads',
    skip: 1,
    runs: 'pager z search-zip',
    // `A`, `B` and `C` take the next word only if it is a number.
    valued: 'G m',
    reads: 'p',
    sweeps: '*',
  },
  ack: {
    here: true,
    follows: 'follow',
    operands: 'reads',
    skip: 1,
    runs: 'pager ackrc create-ackrc',
    valued: 'm',
    sweeps: '*',
  },
  ugrep: {
    here: true,
    follows: 'R S dereference dereference-recursive dereference-files',
    operands: 'reads',
    skip: 1,
    runs: 'pager filter view config z decompress query Q',
    valued: 'A B C m g t',
    sweeps: '*',
  },
  ug: {
    here: true,
    follows: 'R S dereference dereference-recursive dereference-files',
    operands: 'reads',
    skip: 1,
    runs: 'pager filter view config z decompress query Q',
    valued: 'A B C m g t',
    sweeps: '*',
  },
  sort: {
    operands: 'reads',
    valued: 'k t S key field-separator buffer-size parallel sort batch-size',
    writes: 'o output T temporary-directory',
    runs: 'compress-program',
    reads: 'random-source',
    lists: 'files0-from',
  },
  sed: {
    operands: 'reads',
    script: 'sed',
    skip: 1,
    instead: 'e f expression file',
    valued: 'line-length',
    writes: 'i I in-place',
    edits: 'i I in-place',
    runs: 'f file',
  },
  gsed: {
    operands: 'reads',
    script: 'sed',
    skip: 1,
    instead: 'e f expression file',
    valued: 'line-length',
    writes: 'i I in-place',
    edits: 'i I in-place',
    runs: 'f file',
  },
  awk: {
    operands: 'reads',
    script: 'awk',
    skip: 1,
    instead: 'f file E exec e source',
    valued: 'F v field-separator assign',
    runs: 'f file i include l load E exec e source D debug W',
    writes: 'o p d pretty-print profile dump-variables',
    edits: 'i include',
  },
  gawk: {
    operands: 'reads',
    script: 'awk',
    skip: 1,
    instead: 'f file E exec e source',
    valued: 'F v field-separator assign',
    runs: 'f file i include l load E exec e source D debug W',
    writes: 'o p d pretty-print profile dump-variables',
    edits: 'i include',
  },
  mawk: {
    operands: 'reads',
    script: 'awk',
    skip: 1,
    instead: 'f file',
    valued: 'F v',
    runs: 'f W',
  },
  'original-awk': {
    operands: 'reads',
    script: 'awk',
    skip: 1,
    instead: 'f',
    valued: 'F v',
    runs: 'f',
  },
  bwk: { operands: 'reads', script: 'awk', skip: 1, instead: 'f', valued: 'F v', runs: 'f' },
  goawk: { operands: 'reads', script: 'awk', skip: 1, instead: 'f', valued: 'F v', runs: 'f E' },
  frawk: { runs: 'f', spelledFrom: 0 },
  nawk: {
    operands: 'reads',
    script: 'awk',
    skip: 1,
    instead: 'f file',
    valued: 'F v',
    runs: 'f W',
  },
  jq: {
    operands: 'reads',
    script: 'jq',
    skip: 1,
    // Options that take a name and a file leave one word as an operand.
    instead: 'f from-file rawfile slurpfile args jsonargs',
    valued: 'indent arg argjson',
    reads: 'f from-file slurpfile rawfile',
    runs: 'L',
  },
  yq: {
    operands: 'reads',
    script: 'yq',
    runs: 'from-file',
    writes: 'i inplace s split-exp',
    edits: 'i inplace',
    valued: 'p o input-format output-format I indent',
  },
  find: {
    follows: 'L follow',
    operands: 'reads',
    here: true,
    script: 'zones',
    words: true,
    runs: 'exec execdir ok okdir',
    writes: 'delete fprint fprint0 fprintf fls',
    edits: 'delete',
    reads: 'newer anewer cnewer samefile',
    lists: 'files0-from',
    valued:
      'name iname path ipath wholename regex iregex regextype type xtype maxdepth mindepth mtime mmin atime amin ctime cmin size perm user group uid gid links inum fstype printf lname ilname used newermt newerat newerct context D',
  },
  fd: {
    follows: 'L follow',
    operands: 'reads',
    here: true,
    skip: 1,
    runs: 'x X exec exec-batch',
    valued:
      'd e E t S o c j max-depth min-depth exact-depth extension exclude type size owner color threads changed-within changed-before',
    reads: 'search-path base-directory ignore-file',
  },
  fdfind: {
    follows: 'L follow',
    operands: 'reads',
    here: true,
    skip: 1,
    runs: 'x X exec exec-batch',
    valued: 'd e E t S o c j max-depth min-depth extension exclude type size owner color',
  },
  tee: { operands: 'writes', writes: '', spelledFrom: 0 },
  sponge: { operands: 'writes', spelledFrom: 0 },
  touch: { operands: 'writes', script: 'zones', valued: 'd t date time', reads: 'r reference' },
  mkdir: { operands: 'writes', valued: 'm mode' },
  rmdir: { operands: 'writes' },
  rm: { operands: 'writes', sweeps: 'r R recursive' },
  rimraf: { operands: 'writes', sweeps: '*' },
  trash: { operands: 'writes', sweeps: '*' },
  'trash-put': { operands: 'writes', sweeps: '*' },
  'del-cli': { operands: 'writes', sweeps: '*' },
  unlink: { operands: 'writes' },
  shred: { operands: 'writes' },
  truncate: { operands: 'writes', valued: 's size', reads: 'r reference' },
  chmod: {
    follows: 'L',
    operands: 'writes',
    skip: 1,
    instead: 'reference',
    sweeps: 'R recursive',
    reads: 'reference',
  },
  chown: {
    follows: 'L',
    operands: 'writes',
    skip: 1,
    instead: 'reference',
    sweeps: 'R recursive',
    reads: 'reference',
  },
  chgrp: {
    operands: 'writes',
    skip: 1,
    instead: 'reference',
    sweeps: 'R recursive',
    follows: 'L',
    reads: 'reference',
  },
  chattr: { operands: 'writes', sweeps: 'R' },
  setfacl: { operands: 'writes', sweeps: 'R recursive', follows: 'L logical' },
  cp: {
    follows: 'L dereference',
    operands: 'copies',
    sweeps: 'r R a recursive archive',
    valued: 'S suffix',
  },
  mv: { operands: 'copies', valued: 'S suffix' },
  ln: { operands: 'copies' },
  link: { operands: 'copies' },
  install: { operands: 'copies', valued: 'm o g S mode owner group', runs: 'strip-program' },
  dd: { operands: 'copies', spelledFrom: 0 },
  rename: { operands: 'writes', spelledFrom: 0 },
  patch: { operands: 'copies', writes: 'o r output reject-file', reads: 'i input', runs: 'get' },
  rsync: {
    operands: 'copies',
    runs: 'e rsh rsync-path daemon config',
    writes: 'log-file write-batch only-write-batch backup-dir partial-dir temp-dir T',
    valued: 'f filter exclude include chmod',
    reads: 'exclude-from include-from password-file',
    lists: 'files-from',
    sweeps: 'r a recursive archive d dirs old-dirs',
    follows: 'L k K copy-links copy-dirlinks copy-unsafe-links keep-dirlinks',
    hosts: 'remote',
  },
  scp: {
    follows: '*',
    operands: 'copies',
    runs: 'S o F D J',
    reads: 'i F',
    valued: 'c l P',
    sweeps: 'r',
    hosts: 'remote',
  },
  sftp: {
    operands: 'copies',
    runs: 'S o F D b J',
    reads: 'i F b',
    valued: 'B c l P R s',
    hosts: 'remote',
  },
  'ssh-keygen': { runs: 'D w', writes: 'f', reads: 'l' },
  'ssh-add': { operands: 'reads', runs: 's S' },
  'ssh-keyscan': { operands: 'text', hosts: 'all', lists: 'f' },
  'ssh-copy-id': { operands: 'text', hosts: 'first', runs: 'o F i' },
  ssh: {
    operands: 'text',
    runs: 'o F E P S D L R W w I',
    valued: 'p l c m b e B Q O',
    reads: 'i F',
    hosts: 'first',
    addresses: 'J',
  },
  tar: {
    operands: 'copies',
    script: 'archive',
    runs: 'to-command use-compress-program I checkpoint-action rmt-command rsh-command info-script new-volume-script F e rsh',
    valued: 'exclude owner group mode transform strip-components mtime',
    reads: 'X exclude-from',
    lists: 'T files-from',
    sweeps: 'c create r u A',
    follows: 'h dereference',
    hosts: 'remote',
  },
  bsdtar: {
    follows: 'L h dereference',
    operands: 'copies',
    lists: 'T files-from',
    hosts: 'remote',
    runs: 'use-compress-program',
    sweeps: 'c create r u',
  },
  zip: {
    follows: '*',
    stays: 'y symlinks',
    operands: 'copies',
    runs: 'TT unzip-command T @',
    sweeps: 'r R recurse-paths',
  },
  unzip: PACKER,
  gzip: { operands: 'copies', sweeps: 'r recursive' },
  gunzip: { operands: 'copies', sweeps: 'r recursive' },
  bzip2: PACKER,
  xz: PACKER,
  zstd: { operands: 'copies', sweeps: 'r', lists: 'filelist' },
  '7z': COMMAND_PACKER,
  '7za': COMMAND_PACKER,
  '7zr': COMMAND_PACKER,
  rar: COMMAND_PACKER,
  unrar: COMMAND_PACKER,
  fzf: { operands: 'text', runs: 'preview bind history filter-command become listen' },
  cpio: {
    operands: 'copies',
    hosts: 'remote',
    runs: 'rsh-command to-command o p create pass-through',
  },
  ar: { operands: 'copies', skip: 1, runs: 'plugin' },
  split: { operands: 'copies', runs: 'filter', valued: 'a b C l n t' },
  csplit: { operands: 'copies' },
  curl: {
    operands: 'text',
    script: 'request',
    hosts: 'all',
    addresses: 'url ipfs-gateway',
    reads: 'b cookie etag-compare cacert T upload-file K config E cert key netrc-file pubkey',
    writes:
      'o O J D c output remote-name remote-header-name remote-name-all dump-header cookie-jar output-dir trace trace-ascii stderr etag-save ssl-sessions libcurl hsts alt-svc egd-file',
    runs: 'K config engine x proxy preproxy socks4 socks4a socks5 socks5-hostname resolve connect-to unix-socket abstract-unix-socket interface dns-servers doh-url proto-redir next : T upload-file E cert key n netrc netrc-optional netrc-file pubkey proxy1.0 proto-default variable expand-data expand-url expand-output Q quote P ftp-port krb delegation',
    valued:
      'd data data-binary data-raw data-ascii data-urlencode F form json A e H m r u w X Y y C z user-agent referer header max-time retry retry-delay connect-timeout range user write-out request limit-rate max-redirs ciphers tls-max url-query oauth2-bearer aws-sigv4 proto form-string',
  },
  wget: {
    operands: 'text',
    script: 'request',
    hosts: 'all',
    reads:
      'i input-file post-file body-file load-cookies certificate private-key ca-certificate config',
    writes:
      'O o a P output-document output-file append-output directory-prefix save-cookies warc-file rejected-log hsts-file',
    runs: 'e execute use-askpass config i input-file post-file body-file load-cookies certificate private-key',
    valued:
      'A R D l Q T t U w accept reject domains level quota timeout tries user-agent header wait post-data method body-data user password',
  },
  http: {
    hosts: 'first',
    script: 'request',
    writes: 'o output download d',
    runs: 'session cert verify',
  },
  xh: {
    hosts: 'first',
    script: 'request',
    writes: 'o output download d',
    runs: 'session cert verify',
  },
  https: { hosts: 'first', script: 'request', writes: 'o output download d', runs: 'session' },
  xhs: { hosts: 'first', script: 'request', writes: 'o output download d', runs: 'session' },
  aria2c: {
    operands: 'text',
    hosts: 'all',
    writes: 'd o l dir out log save-session',
    runs: 'i input-file conf-path on-download-start on-download-stop on-download-pause on-download-error on-download-complete on-bt-download-complete enable-rpc',
  },
  lftp: { hosts: 'first', runs: 'e c f' },
  ncftp: { hosts: 'first' },
  tftp: { hosts: 'first', runs: 'c' },
  nc: { operands: 'text', hosts: 'first', runs: 'e c exec sh-exec lua-exec' },
  ncat: { operands: 'text', hosts: 'first', runs: 'e c exec sh-exec lua-exec' },
  netcat: { operands: 'text', hosts: 'first', runs: 'e c' },
  telnet: { operands: 'text', hosts: 'first' },
  ping: { operands: 'text', hosts: 'first', valued: 'c i s t W w I' },
  nslookup: { operands: 'text', hosts: 'all' },
  dig: { operands: 'text', hosts: 'all', reads: 'f k' },
  host: { operands: 'text', hosts: 'first' },
  whois: { operands: 'text', hosts: 'all' },
  traceroute: { operands: 'text', hosts: 'first' },
  ftp: { operands: 'text', hosts: 'first' },
  socat: { hosts: 'named', spelledFrom: 0 },
  openssl: OPENSSL,
  // It reads its operands.
  'openssl dgst': { ...OPENSSL, operands: 'reads', skip: 1 },
  nm: BINARY,
  objdump: BINARY,
  readelf: BINARY,
  size: BINARY,
  zipinfo: READER,
  // Of a folder it reads every `.go` file, also where a link leads.
  gofmt: { operands: 'reads', writes: 'w cpuprofile', runs: 'r', sweeps: '*', follows: '*' },
  man: {
    operands: 'reads',
    runs: 'P pager H html p preprocessor C config-file M manpath local-file l',
  },
  git: {},
  apropos: { operands: 'text' },
  vim: { ...EDITOR, runs: 'c cmd S s u U W w i' },
  vi: { ...EDITOR, runs: 'c cmd S s u U W w' },
  nvim: { ...EDITOR, runs: 'c cmd S s u U W w l headless' },
  ex: { ...EDITOR, spelledFrom: 0 },
  ed: { ...EDITOR, spelledFrom: 0 },
  emacs: { ...EDITOR, runs: 'e eval f funcall l load script execute batch' },
  kak: { ...EDITOR, runs: 'e E p f' },
  micro: { ...EDITOR, runs: 'plugin config-dir' },
  helix: { ...EDITOR, runs: 'c config' },
  hx: { ...EDITOR, runs: 'c config' },
  joe: EDITOR,
  nano: { ...EDITOR, runs: 's speller f rcfile' },
  // Prints JSON; a second operand is written. Without `-I` the current folder may replace modules.
  'python -I -m json.tool': { operands: 'reads', skip: 1, valued: 'indent', spelledFrom: 2 },
  python: { runs: 'c m i X', valued: 'W', spelledFrom: 99 },
  python2: { runs: 'c m i' },
  python3: { runs: 'c m i X', valued: 'W' },
  pypy: { runs: 'c m i' },
  pypy3: { runs: 'c m i' },
  // `node inspect` runs the commands of its input.
  node: { runs: NODE_RUNS, writes: NODE_WRITES, codeWords: 'inspect' },
  nodejs: { runs: NODE_RUNS, writes: NODE_WRITES, codeWords: 'inspect' },
  deno: { codeWords: 'eval repl run serve task install', runs: 'eval repl allow-all A allow-run' },
  bun: { runs: `${INTERPRETER} preload` },
  tsx: { runs: INTERPRETER },
  'ts-node': { runs: INTERPRETER },
  perl: { runs: 'e E M m I i d x s', writes: 'i' },
  ruby: { runs: 'e r I i S x C' },
  php: { runs: 'r B R E F d c z S a' },
  lua: { runs: 'e l i' },
  luajit: { runs: 'e l i b j' },
  tclsh: { spelledFrom: 0 },
  expect: { runs: 'c f b', spelledFrom: 0 },
  osascript: { spelledFrom: 0, runs: 'e l' },
  Rscript: { runs: 'e' },
  R: { runs: 'e f' },
  julia: { runs: 'e E L' },
  ghc: { runs: 'e' },
  groovy: { runs: 'e' },
  racket: { runs: 'e f l t r' },
  guile: { runs: 'c l e x' },
  sbcl: { runs: 'eval load script core', words: true },
  clisp: { runs: 'x i' },
  jrunscript: { runs: 'e f' },
  jshell: { spelledFrom: 0, runs: 'startup execution R J C' },
  ghci: { spelledFrom: 0, runs: 'e' },
  ocaml: { runs: 'e init I' },
  raku: { runs: 'e I M' },
  crystal: { codeWords: 'eval run' },
  swift: { codeWords: 'repl', runs: 'e' },
  nim: { codeWords: 'e r c js', runs: 'eval' },
  dart: { codeWords: 'run', runs: 'enable-vm-service' },
  clojure: { runs: 'e M X T Sdeps' },
  clj: { runs: 'e M X T Sdeps' },
  bb: { runs: 'e f' },
  gjs: { runs: 'c' },
  qjs: { runs: 'e I' },
  fennel: { runs: 'e' },
  janet: { runs: 'e' },
  octave: { runs: 'eval' },
  scala: { runs: 'e' },
  elixir: { runs: 'e r' },
  erl: { words: true, runs: 'eval run s' },
  gdb: { runs: 'ex x command eval-command init-command iex ix' },
  lldb: { runs: 'o s S O Q b one-line source' },
  sqlite3: { spelledFrom: 1, operands: 'copies', words: true, runs: 'cmd init' },
  psql: { runs: 'c f o L' },
  mysql: { runs: 'e execute pager tee init-command defaults-file defaults-extra-file plugin-dir' },
  mariadb: {
    runs: 'e execute pager tee init-command defaults-file defaults-extra-file plugin-dir',
  },
  mongosh: { runs: 'eval f file shell', hosts: 'first' },
  mongo: { runs: 'eval f file shell', hosts: 'first' },
  'redis-cli': { runs: 'eval x', hosts: 'named' },
  duckdb: { spelledFrom: 1, operands: 'copies', words: true, runs: 'c s cmd init' },
  'clickhouse-client': { runs: 'q query queries-file' },
  'clickhouse-local': { runs: 'q query queries-file' },
  make: {
    script: 'make',
    runs: 'eval E f file makefile I include-dir C directory',
    // `j` and `l` take the next word only if it is a number.
    valued: 'o W',
    optional: 'j l',
  },
  gmake: { script: 'make', runs: 'eval E f file makefile' },
  cmake: { runs: 'P E C build install', words: true },
  bmake: { script: 'make', runs: 'f C m I E' },
  ninja: { runs: 'f C t', valued: 'j k l' },
  meson: { runs: 'native-file cross-file vsenv' },
  rake: { runs: 'f e E p r R I rakefile execute require libdir' },
  task: { starts: true, runs: 't taskfile d dir' },
  scons: { runs: 'f C' },
  ant: { runs: 'f file buildfile lib logger listener', words: true },
  sbt: { spelledFrom: 0 },
  just: { runs: 'f justfile shell shell-arg c command set d working-directory' },
  act: {
    starts: true,
    runs: 'W workflows P platform container-options e eventpath b bind secret-file env-file C directory',
  },
  tox: { starts: true, runs: 'c conf workdir root x override' },
  nox: { starts: true, runs: 'f noxfile' },
  // Hooks run code from the repository, and `direnv allow` lets an `.envrc` do so.
  'pre-commit': {
    starts: true,
    runs: 'c config',
    codeWords: 'try-repo install install-hooks init-templatedir',
  },
  husky: { starts: true, codeWords: 'install add set init' },
  lefthook: { starts: true, codeWords: 'install add' },
  direnv: { codeWords: 'allow permit grant edit' },
  code: { starts: true, runs: 'install-extension user-data-dir extensions-dir add-mcp' },
  cursor: { starts: true, runs: 'install-extension user-data-dir extensions-dir add-mcp' },
  mutt: { starts: true, runs: 'e F' },
  neomutt: { starts: true, runs: 'e F' },
  screen: { runs: 'c X' },
  // `#(command)` in a format runs it.
  tmux: { script: 'formats' },
  iex: { starts: true, runs: 'e r S' },
  mix: { starts: true, runs: 'e r eval require', codeWords: 'eval cmd' },
  cargo: { runs: 'config Z manifest-path C', codeWords: 'rustc watch fuzz bench-exec' },
  go: {
    script: 'go',
    runs: 'exec toolexec vettool overlay ldflags gcflags C w u',
    codeWords: 'generate tool',
    words: true,
    writes: 'o cpuprofile memprofile blockprofile mutexprofile trace outputdir coverprofile',
  },
  javac: {
    script: 'response',
    attached: 'J',
    words: true,
    writes: 'd s h',
    runs: 'processor processorpath J Xplugin',
  },
  rustc: { script: 'response', writes: 'o out-dir', runs: 'C codegen' },
  'g++': COMPILER,
  'c++': COMPILER,
  'clang++': { ...COMPILER, runs: `${COMPILER.runs} load Xclang` },
  ld: {
    script: 'response',
    operands: 'reads',
    words: true,
    attached: 'o T',
    writes: 'o Map',
    runs: 'plugin T',
  },
  as: { operands: 'reads', writes: 'o MD' },
  rustdoc: { writes: 'o out-dir', runs: 'runtool test-runtool test-builder C' },
  gcc: COMPILER,
  cc: COMPILER,
  clang: { ...COMPILER, runs: `${COMPILER.runs} load Xclang` },
  npm: {
    script: 'packages',
    codeWords:
      'create set config+set config+edit config+delete config+fix c+set c+edit pkg+set pkg+delete pkg+fix edit',
    // Each names a program that npm starts, a file of code or of settings, or a folder that has both.
    runs: 'script-shell shell git git-path browser viewer editor node-gyp init-module init.module prefix C globalconfig userconfig node-options call c dangerously-allow-all-scripts allow-scripts registry proxy https-proxy',
    addresses: 'registry proxy https-proxy',
    writes: 'cache logs-dir pack-destination provenance-file',
    reads: 'cafile',
    oneDash: true,
  },
  pnpm: {
    script: 'packages',
    codeWords: 'create set config+set config+delete c+set',
    runs: 'script-shell shell-mode C dir node-options npm-path pnpmfile global-pnpmfile config-dir global-dir use-node-version config.git config.script-shell config.node-options config.npm-path config.pnpmfile config.global-pnpmfile registry config.registry proxy https-proxy dangerously-allow-all-builds allow-build',
    addresses: 'registry config.registry proxy https-proxy',
    writes:
      'store-dir virtual-store-dir modules-dir global-bin-dir state-dir cache-dir pack-destination',
    oneDash: true,
  },
  yarn: {
    script: 'packages',
    codeWords: 'create config+set config+unset plugin+import set+version policies+set-version',
    runs: 'cwd script-shell use-yarnrc registry proxy https-proxy',
    addresses: 'registry proxy https-proxy',
    writes: 'modules-folder cache-folder preferred-cache-folder global-folder link-folder',
  },
  pip: {
    codeWords: 'config+set config+edit config+unset',
    runs: 'e editable i f index-url extra-index-url find-links python',
    writes: 't target prefix root log d dest cache-dir',
    reads: 'r requirement c constraint',
  },
  pip3: {
    codeWords: 'config+set config+edit config+unset',
    runs: 'e editable i f index-url extra-index-url find-links python',
    writes: 't target prefix root log d dest cache-dir',
    reads: 'r requirement c constraint',
  },
  gem: { runs: 'e editor' },
  mvn: {
    runs: 'f file s settings gs global-settings Dexec.executable Dmaven.ext.class.path',
    words: true,
  },
  gradle: { runs: 'I init-script b build-file c' },
  helm: { runs: 'post-renderer kubeconfig repository-config plugins', codeWords: 'plugin' },
  terraform: { runs: 'chdir plugin-dir', words: true },
  tofu: { runs: 'chdir plugin-dir', words: true },
  'ansible-playbook': {
    runs: 'vault-password-file become-password-file i inventory M module-path',
  },
  gh: { script: 'gh', codeWords: 'alias extension ext extensions codespace cs config+set' },
  glab: { codeWords: 'alias' },
  aws: { hosts: 'named', addresses: 'endpoint-url', runs: 'ca-bundle' },
  rclone: { runs: 'password-command config sftp-ssh', hosts: 'named' },
  restic: { runs: 'password-command option o', hosts: 'named' },
  borg: { runs: 'rsh', hosts: 'remote' },
  apt: { operands: 'text', script: 'debian', runs: 'o c option config-file' },
  'apt-get': { operands: 'text', script: 'debian', runs: 'o c option config-file' },
  'apt-cache': { operands: 'text', script: 'debian', runs: 'o c option config-file' },
  dpkg: { runs: 'pre-invoke post-invoke admindir root' },
  dnf: { operands: 'text', runs: 'c config setopt repofrompath' },
  yum: { operands: 'text', runs: 'c config setopt' },
  pacman: { operands: 'text', runs: 'config hookdir' },
  apk: { operands: 'text', runs: 'X repository' },
  brew: { operands: 'text', script: 'packages', codeWords: 'ruby irb' },
  snap: { operands: 'text' },
  poetry: {},
  uv: {},
  composer: {},
  bundle: {},
  az: {},
  gcloud: {},
  docker: {
    script: 'docker',
    runs: 'H host config c context v volume mount privileged entrypoint',
  },
  kubectl: { runs: 'kubeconfig', codeWords: 'krew plugin config+set config+set-credentials' },
  crontab: { spelledFrom: 0, writes: 'r e' },
  at: { spelledFrom: 0, runs: 'f' },
  batch: { spelledFrom: 0 },
  logrotate: { spelledFrom: 0 },
  ctags: { runs: 'options _xformat', writes: 'o f' },
  cscope: { runs: 'p' },
  watchman: { spelledFrom: 0 },
  watchexec: { spelledFrom: 0 },
  nodemon: { runs: 'x exec e' },
  mocha: { runs: 'r require f config package ui reporter R' },
  vitest: { runs: 'c config globals-setup reporter environment' },
  pytest: {
    runs: 'p c o config-file override-ini pdbcls rootdir confcutdir',
    writes: 'junitxml junit-xml basetemp debug log-file result-log',
    valued: 'k m n W',
  },
  pylint: { runs: 'init-hook load-plugins rcfile', writes: 'output' },
  mypy: {
    runs: 'config-file python-executable install-types',
    writes: 'html-report xml-report txt-report any-exprs-report junit-xml cache-dir',
  },
  flake8: { runs: 'config append-config', writes: 'output-file' },
  rubocop: { runs: 'r require c config', writes: 'a A autocorrect o out' },
  stylelint: {
    runs: 'c config plugin custom-syntax custom-formatter',
    writes: 'fix o output-file',
  },
  webpack: { runs: 'c config r require', writes: 'o output-path' },
  rollup: { runs: 'c config p plugin', writes: 'o d file dir' },
  vite: { runs: 'c config', writes: 'outDir' },
  esbuild: { writes: 'outfile outdir metafile', runs: 'inject', hosts: 'named' },
  eslint: {
    runs: 'c config rulesdir resolve-plugins-relative-to plugin parser f format',
    writes: 'o output-file fix cache-location cache-file',
  },
  prettier: { runs: 'plugin config', writes: 'w write' },
  tsc: { words: true, writes: 'outDir outFile init build b' },
  jest: { runs: 'c config setupFiles globalSetup reporters runner transform testEnvironment' },
  black: { runs: 'config' },
  ruff: { runs: 'config', writes: 'o output-file fix unsafe-fixes cache-dir' },
  clangd: {},
  date: {
    operands: 'text',
    script: 'date',
    valued: 'd date rfc-3339 v',
    optional: 'I',
    writes: 's set',
    reads: 'f r file reference',
  },
  hostname: { spelledFrom: 0, operands: 'text' },
  pgrep: { operands: 'text', reads: 'F pidfile' },
  ps: {
    operands: 'text',
    script: 'ps',
    valued:
      'o C u U p t g G s q k O sort format pid ppid user User group Group tty sid quick-pid cols columns width rows lines',
  },
  shellcheck: {
    operands: 'reads',
    reads: 'rcfile',
    valued:
      's f e S o W i shell format exclude severity enable include wiki-link-count P source-path',
    optional: 'C',
  },
  lsof: { script: 'sockets' },
  ss: { operands: 'text', script: 'sockets' },
  dmesg: { operands: 'text', reads: 'F file K kmsg-file', writes: 'C c D E clear' },
  journalctl: {
    operands: 'text',
    reads: 'file D directory',
    hosts: 'named',
    runs: 'vacuum-size vacuum-time rotate flush',
  },
  systemctl: { operands: 'text', hosts: 'named' },
  mount: { spelledFrom: 0 },
  umount: { spelledFrom: 0 },
  ip: { operands: 'text', hosts: 'named', runs: 'b batch' },
  w3m: { hosts: 'all', runs: 'o config' },
  lynx: { hosts: 'all', runs: 'cfg' },
  sshfs: { hosts: 'remote', runs: 'o' },
  mail: { runs: 'A X', spelledFrom: 0 },
  sendmail: { spelledFrom: 0 },
  gpg: { writes: 'o output', runs: 'options homedir photo-viewer exec-path agent-program' },
  pandoc: {
    operands: 'reads',
    runs: 'F L filter lua-filter pdf-engine pdf-engine-opt defaults d template data-dir',
    writes: 'o output extract-media log',
    reads:
      'H B A include-in-header include-before-body include-after-body bibliography csl metadata-file',
  },
  pdflatex: { words: true, runs: 'shell-escape enable-write18 output-directory' },
  xelatex: { words: true, runs: 'shell-escape enable-write18 output-directory' },
  lualatex: { words: true, runs: 'shell-escape lua output-directory' },
  latexmk: { runs: 'e r pdflatex latex', words: true },
  gs: { words: true, spelledFrom: 0, runs: 'sOutputFile c' },
  groff: { operands: 'reads', runs: 'U m M' },
  troff: { operands: 'reads', runs: 'U m M' },
  dot: { operands: 'reads', writes: 'o O' },
  convert: { operands: 'copies' },
  magick: { operands: 'copies' },
  tcpdump: { runs: 'z', writes: 'w', reads: 'r' },
  tshark: { runs: 'X', writes: 'w', reads: 'r' },
  nmap: {
    hosts: 'all',
    operands: 'text',
    runs: 'script datadir',
    writes: 'oN oX oG oA oS',
    words: true,
  },
  tc: { runs: 'b batch' },
  nft: { runs: 'f file' },
  mpv: { runs: 'script script-opts input-conf include config-dir', hosts: 'all' },
  'yt-dlp': {
    hosts: 'all',
    writes: 'o P output paths print-to-file cookies',
    runs: 'exec exec-before-download config-location config-locations netrc-cmd downloader external-downloader plugin-dirs use-postprocessor a batch-file',
  },
  'youtube-dl': {
    hosts: 'all',
    writes: 'o output',
    runs: 'exec config-location external-downloader a',
  },
  tldr: { operands: 'text' },
  whatis: { operands: 'text' },
  whereis: { operands: 'text' },
  'notify-send': { operands: 'text' },
  hash: { operands: 'text' },
  ulimit: { operands: 'text' },
  exit: { operands: 'text' },
  return: { operands: 'text' },
  wait: { operands: 'text' },
  jobs: { operands: 'text' },
  ctest: { runs: 'S' },
  ffmpeg: { spelledFrom: 99, hosts: 'named', operands: 'copies' },
};
