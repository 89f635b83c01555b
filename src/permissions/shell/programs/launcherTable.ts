/**
 * How to parse a program that starts another one. One row for each program; the option names are
 * from its manual. Don't list options that name another program, a library or variables for it: an option that is not
 * listed asks.
 */
export interface Launcher {
  /** Options without a value: single letters, and long names without `--`. */
  readonly flags?: string;
  /** Options with a value, as the next word or attached. */
  readonly valued?: string;
  /** Of `valued`, options whose value is a file, or a command behind `|` or `!`: `strace -o '|cat'`. */
  readonly pipes?: string;
  /** Of `valued`, options whose value an allow must contain: the package that `npx -p` installs. */
  readonly spelled?: string;
  /** Options with a value that can only be attached: `xargs -i{}`. */
  readonly attached?: string;
  /** An operand of this form may precede the command. */
  readonly ahead?: RegExp;
  /** Operands before the command; 99: it starts a shell. */
  readonly skip?: number;
  /** `VAR=value` operands before the command. */
  readonly assignments?: true;
  /** The operands are joined and given to a shell. */
  readonly shell?: true;
  /** Each operand is a line of its own for a shell. */
  readonly lines?: true;
  /** An option whose value is given to a shell; with it there is no further command. */
  readonly shellOption?: string;
  /** The command gets more arguments at run time. */
  readonly addsArguments?: true;
  /**
   * The command runs in another folder, root or machine, or as another user, so relative paths are
   * unknown.
   */
  readonly elsewhere?: true;
  /** Words after which the command starts. */
  readonly after?: readonly string[];
  /** Long options are written with one dash (find, ip, openssl). */
  readonly words?: true;
}

/** Shells. The text of `-c` is analyzed as a line; a script or standard input is unknown. */
export const SHELLS: ReadonlySet<string> = new Set(
  `sh bash dash ash zsh ksh ksh93 mksh oksh loksh pdksh rbash bash-static zsh-static fish csh tcsh pwsh
  powershell cmd yash posh rzsh hush sash osh ysh elvish nu xonsh`.split(/\s+/),
);

const PREFIX: Launcher = {};

/** All known launchers. Other programs have their flags in tables/programTable.ts. */
export const LAUNCHERS: Readonly<Record<string, Launcher>> = {
  env: {
    flags: 'i 0 v ignore-environment null debug list-signal-handling',
    valued: 'u unset a argv0',
    assignments: true,
    shellOption: 'S split-string',
  },
  sudo: {
    flags:
      'A b B E H k K n N P S V v askpass background bell preserve-env set-home non-interactive stdin',
    valued:
      'C g h p r t T U u close-from group host prompt role type command-timeout other-user user',
    assignments: true,
  },
  doas: { flags: 'n L s', valued: 'C u a' },
  pkexec: { flags: 'disable-internal-agent', valued: 'user' },
  // A login (`su -`, `-l`) starts in another folder, so it isn't one of the flags.
  su: {
    flags: 'm p P f preserve-environment pty fast',
    valued: 'g G w group supp-group whitelist-environment',
    shellOption: 'c command session-command',
    skip: 99,
  },
  runuser: {
    flags: 'm p P f',
    valued: 'g G w u user group',
    shellOption: 'c command session-command',
  },
  gosu: { skip: 1 },
  'su-exec': { skip: 1 },
  setpriv: {
    flags: 'no-new-privs clear-groups keep-groups init-groups reset-env',
    valued: 'reuid regid groups inh-caps ambient-caps bounding-set',
  },
  timeout: {
    flags: 'f p v preserve-status foreground verbose',
    valued: 'k s kill-after signal',
    skip: 1,
  },
  gtimeout: {
    flags: 'v preserve-status foreground verbose',
    valued: 'k s kill-after signal',
    skip: 1,
  },
  nice: { flags: '', valued: 'n adjustment' },
  ionice: { flags: 't ignore', valued: 'c n p P u class classdata pid' },
  nohup: PREFIX,
  setsid: { flags: 'c f w ctty fork wait' },
  stdbuf: { valued: 'i o e input output error' },
  chrt: {
    flags: 'b f i o r d R v a batch fifo idle other rr deadline reset-on-fork verbose all-tasks',
    valued: 'T P D',
    // Newer versions need no priority for policies without one: `chrt -o make`.
    ahead: /^\d+$/,
  },
  taskset: { flags: 'a c p all-tasks cpu-list pid', skip: 1 },
  numactl: {
    flags: 'l all localalloc',
    valued: 'C N m i p cpunodebind membind interleave preferred physcpubind',
  },
  time: { flags: 'p v q a portability verbose quiet append', valued: 'f o format output' },
  gtime: { flags: 'p v q a', valued: 'f o format output' },
  command: { flags: 'p v V' },
  builtin: {},
  exec: { flags: 'c l', valued: 'a' },
  nocorrect: PREFIX,
  noglob: PREFIX,
  xargs: {
    flags: '0 r t x p o null no-run-if-empty verbose exit open-tty interactive',
    valued:
      'a d E I J L n P R S s arg-file delimiter max-args max-procs max-chars process-slot-var',
    attached: 'e i l eof replace max-lines',
    addsArguments: true,
  },
  parallel: {
    flags:
      '0 k X m q v t n u bar shuf dry-run keep-order null ungroup group line-buffer lb tag verbose eta progress halt-on-error xargs will-cite',
    valued:
      'a j N n I J L S d P s C colsep jobs max-args delay timeout retries halt joblog results arg-file tmpdir workdir sshlogin',
    addsArguments: true,
    shell: true,
    after: [':::', '::::', ':::+', '::::+'],
  },
  watch: {
    flags:
      'b c C d e g p t w x beep color no-color differences errexit chgexit precise no-title no-wrap exec',
    valued: 'n q interval equexit',
    shell: true,
  },
  entr: { flags: 'a c d n p r s x z', addsArguments: true },
  flock: {
    flags: 'e s u n o x F exclusive shared unlock nonblock nb close no-fork verbose',
    valued: 'w E wait timeout conflict-exit-code',
    skip: 1,
    shellOption: 'c command',
  },
  script: {
    flags: 'a e f q append return flush quiet force',
    valued: 'B E I m O o T t echo log-in log-io log-out log-timing logging-format output-limit',
    shellOption: 'c command',
    skip: 99,
  },
  strace: {
    flags: 'c C d f ff F h i k n q qq r t tt ttt T v V w x xx y yy z Z',
    valued: 'a b e I o O p P s S u U X attach output trace expr string-limit user',
    pipes: 'o output',
  },
  ltrace: { flags: 'b c C f h i L r S t tt ttt T', valued: 'a A D e F l n o p s u w x' },
  gdb: { flags: 'q batch nx nh quiet silent', valued: 'cd', after: ['--args', '-args'] },
  lldb: { flags: 'b batch X no-lldbinit', after: ['--'] },
  valgrind: { flags: 'v q h verbose quiet' },
  hyperfine: {
    flags: 'i N show-output ignore-failure',
    // `prepare`, `setup`, `cleanup` and `conclude` are lines too: not known here, they are looked into. So are `L`
    // and `P`, which take two and three words, whatever these look like.
    valued: 'w m M r u n D warmup min-runs max-runs runs style unit',
    lines: true,
  },
  chroot: { flags: 'skip-chdir', valued: 'userspec groups', skip: 1, elsewhere: true },
  unshare: {
    flags:
      'm u i n p U C T f r c mount uts ipc net pid user cgroup time fork map-root-user map-current-user',
    valued: 'R w S G root wd setuid setgid propagation',
    attached: 'kill-child',
    elsewhere: true,
  },
  nsenter: {
    flags: 'a F e all no-fork preserve-credentials',
    valued: 't S G target setuid setgid',
    elsewhere: true,
  },
  linux32: { flags: 'R v' },
  linux64: { flags: 'R v' },
  i386: { flags: 'R v' },
  x86_64: { flags: 'R v' },
  prlimit: { valued: 'p o' },
  cpulimit: { flags: 'z i v', valued: 'l p e c' },
  catchsegv: PREFIX,
  eatmydata: PREFIX,
  fakeroot: { flags: 'u', valued: 's i b' },
  fakechroot: PREFIX,
  proot: { flags: '0', valued: 'r b w q R S', elsewhere: true },
  firejail: { flags: 'quiet noprofile', elsewhere: true },
  bwrap: { elsewhere: true },
  'systemd-run': {
    flags: 'q t P S G user scope pty pipe wait collect quiet same-dir',
    valued: 'u M slice unit description uid gid nice working-directory',
    elsewhere: true,
  },
  'systemd-inhibit': { valued: 'what who why mode' },
  'dbus-run-session': {},
  'dbus-launch': PREFIX,
  'xvfb-run': { flags: 'a l auto-servernum', valued: 'e f n p s w server-args server-num' },
  'ssh-agent': { flags: 'c s k D d', valued: 'a t E P' },
  tini: { flags: 's v g w', valued: 'p e' },
  'dumb-init': { flags: 'c v single-child verbose', valued: 'r rewrite' },
  catatonit: { flags: 'g P' },
  caffeinate: { flags: 'd i m s u', valued: 't w' },
  arch: { flags: 'arm64 x86_64 i386 32 64', valued: 'e d', words: true },
  rlwrap: {
    flags: 'a A c i m n N o r R v w',
    valued: 'b C D e f g H l P q s S t T',
    attached: 'p prompt-colour',
  },
  unbuffer: { flags: 'p' },
  winpty: PREFIX,
  chronic: { flags: 'e v' },
  ts: {},
  ifne: { flags: 'n' },
  torsocks: PREFIX,
  torify: PREFIX,
  proxychains: { flags: 'q', valued: 'f' },
  proxychains4: { flags: 'q', valued: 'f' },
  busybox: {},
  toybox: {},
  direnv: { skip: 2 },
  dotenv: { valued: 'e f v', assignments: true },
  'dotenv-cli': { valued: 'e v', assignments: true },
  'cross-env': { assignments: true },
  'cross-env-shell': { assignments: true, shell: true },
  'env-cmd': {
    flags: 'x silent fallback no-override',
    valued: 'e f r file environments rc-file',
    ahead: /(^|[./])env(\.|$)|\.(js|json)$/i,
  },
  concurrently: {
    flags: 'k r g kill-others raw group',
    valued: 'n c p names prefix prefix-colors max-processes',
    lines: true,
  },
  wine: {},
  wine64: {},
  wsl: { flags: 'e exec', valued: 'd u distribution user cd', elsewhere: true },
  corepack: PREFIX,
  ssh: {
    flags: '4 6 A a C f G g K k M N n q s T t V v X x Y y',
    valued: 'B b c D E e F I i J L l m O o P p Q R S W w',
    skip: 1,
    shell: true,
    elsewhere: true,
  },
  at: { skip: 99 },
  batch: { skip: 99 },
  npx: {
    flags: 'y no yes no-install quiet ignore-existing',
    valued: 'p package',
    spelled: 'p package',
    shellOption: 'c call',
  },
  pnpx: { flags: 's silent', valued: 'package', spelled: 'package', shellOption: 'c shell-mode' },
  bunx: { flags: 'bun' },
  uvx: { valued: 'from with python p', spelled: 'from with python p' },
  nix: { after: ['--command', '-c'] },
  'nix-shell': { valued: 'p packages', shellOption: 'run command', skip: 99 },
  guix: { after: ['--'] },
  screen: { flags: 'd D m r R x S a A i q O U', valued: 'c e h p s S t T' },
  tmux: {},
};
