import type { CommandRow } from '../../src/permissions/defaults/defaultCommands.ts';

/** Whether commands can do harm, and why not: one answer for each question, for a group of rows. */
export interface Answers {
  /** Read project configuration or files that run code? */
  readonly code: string;
  /** Follow links out of the folders that the line names? */
  readonly links: string;
  readonly writes: string;
  /** Contact a host, or a name server? */
  readonly hosts: string;
  /** Print the environment, credentials, or URLs that contain a token? */
  readonly secrets: string;
}

/** Rows with the same answers. */
export interface Family extends Answers {
  readonly name: string;
  /** The rows, by their pattern. */
  readonly rows: RegExp;
  /** What a command reads of a repository besides its operands. */
  readonly reads?: RegExp;
  /** Temporary files that it makes and removes. */
  readonly scratch?: RegExp;
  /** Hosts that it may contact. */
  readonly contacts?: RegExp;
  /** Why the rows can't be run in the test. */
  readonly argued?: string;
}

const NO_CODE = 'No: it has no configuration.';
const NAMED_LINKS = 'No: only operands are opened, and the gate resolves their links.';
const NO_WRITES = 'No option that is let through writes.';
const NO_HOSTS = 'No: it has no network code.';
const INPUT_ONLY = 'It prints its operands, for which the rules about files apply.';

export const FAMILIES: readonly Family[] = [
  {
    name: 'Shell builtins and sleep',
    rows: /^(?:cd|pwd|echo|printf|true|false|:|test|\[|\[\[|set|exit|return|break|continue|wait|sleep|seq|type|which|command(?: -[vV])?|time|nice|umask|jobs|factor|numfmt|bc|logname|getconf|timeout|xargs|bash -c|sh -c|export|read|ulimit|tty|expr|basename|dirname)$/,
    code: NO_CODE,
    links: NAMED_LINKS,
    writes: NO_WRITES,
    hosts: NO_HOSTS,
    secrets: 'No: without a word after them, `set` and `export` print every variable, and ask.',
  },
  {
    name: 'Text filters',
    rows: /^(?:cat|head|tail|wc|nl|tac|rev|cut|tr|paste|fold|fmt|expand|column|sort|uniq|comm|join|shuf|tsort|pr|unexpand|cmp|od|xxd|hexdump|base(?:32|64)|(?:md5|sha1|sha224|sha256|sha384|sha512|sha|b2)sum|sum|shasum|cksum|realpath|readlink|tee (?:-a )?\/dev\/null)$/,
    code: NO_CODE,
    links: NAMED_LINKS,
    writes: 'Not by name. `sort` may use temporary files for large input.',
    hosts: NO_HOSTS,
    secrets: INPUT_ONLY,
  },
  {
    name: 'Comparison',
    rows: /^diff$/,
    code: NO_CODE,
    links: 'With `-r` it does. The gate looks for links that lead out below its operands.',
    writes: NO_WRITES,
    hosts: NO_HOSTS,
    secrets: INPUT_ONLY,
  },
  {
    name: 'Filters with a language of their own',
    rows: /^(?:jq|yq|sed|awk|gawk)$/,
    code: 'No: scripts that run, load, write or read more than their input ask.',
    links: NAMED_LINKS,
    writes: 'No: scripts that write ask, and so does `-i`.',
    hosts: 'No: scripts that open files, of which some are sockets, ask.',
    secrets: 'Scripts that read the environment ask.',
  },
  {
    name: 'Listing',
    rows: /^(?:ls|find|fd|tree|file|stat|du|df)$/,
    reads: /^/,
    code: 'No: ignore files only hide names.',
    links: 'With `-L` and its kin they do. The gate looks for links that lead out.',
    writes: NO_WRITES,
    hosts: NO_HOSTS,
    secrets: 'Names and sizes only.',
  },
  {
    name: 'Search',
    rows: /^(?:grep|egrep|fgrep|rg|zgrep)$/,
    reads: /^/,
    code: 'No: ignore files only hide names, and `rg` takes its settings from the environment.',
    links:
      'With `-R` or `-L` they do, and the gate looks for links that lead out. Ignore files that are links out ask, in and above the folder that is searched; deeper ones are read for their patterns.',
    writes: NO_WRITES,
    hosts: NO_HOSTS,
    secrets:
      '`rg` skips hidden files. Secrets that a search may read ask, and so does what is too large to look through.',
  },
  {
    name: 'This machine',
    rows: /^(?:ip .*|date|cal|uname|whoami|id|groups|hostname|uptime|nproc|free|lscpu|lsblk|arch|sw_vers|lsb_release|locale|tput .*|printenv .*|man -[kf])$/,
    code: 'No: it reads the settings of the system and the user.',
    links: 'No operand is a file.',
    writes: NO_WRITES,
    hosts: 'No: what looks up a name (`hostname -f`) asks.',
    secrets: 'Only variables that hold no secret are let through.',
  },
  {
    name: 'Processes and sockets',
    rows: /^(?:ps|pgrep|lsof|ss|netstat)$/,
    code: NO_CODE,
    links: 'No operand is a file.',
    writes: NO_WRITES,
    hosts: 'No: they must be called so that they look up no names.',
    secrets: 'Command lines, which every user of the machine may see. Environments ask.',
  },
  {
    name: 'Git',
    rows: /^git /,
    reads: /^/,
    code: 'A repository whose own configuration does more than name remotes and branches asks.',
    links: 'No: git stores links and does not follow them.',
    writes:
      'No: Gatehouse starts every command with `GIT_OPTIONAL_LOCKS=0`, for `git status`, and `diff.autoRefreshIndex=false`, for `git diff`. So neither updates the index, which would run the hook `post-index-change`.',
    hosts: 'No: a repository that fetches missing objects asks.',
    secrets: 'URLs ask. What prints the content of secret files, tracked now or in the past, asks.',
  },
  {
    name: 'Versions and help',
    rows: / (?:--version|--help|-v|-V|-version)$/,
    reads: /^\.npmrc$/,
    scratch: /^\/tmp\/hsperfdata_\w+/,
    code: 'No: the program prints a constant before it reads a project. `npm` reads `.npmrc` as data.',
    links:
      'No operand is a file. An `.npmrc` that names files or is a link to one that asks, asks: npm 11 prints lines of them.',
    writes:
      'Java makes a temporary file about itself and removes it. `npm` 7 to 9 write a log, and an `.npmrc` that says where asks.',
    hosts: 'No.',
    secrets: 'No.',
  },
  {
    name: 'Installed packages',
    rows: /^(?:pip3? (?:list|show|check)|gem list|apt (?:list|show|search)|apt-cache \w+|dpkg -\w)$/,
    code: 'No: the settings of the user and the system only.',
    links: 'No: a package file that `apt` is given by its path counts as an operand.',
    writes: 'As root, `apt` may renew its own cache below `/var/cache/apt`.',
    hosts:
      'No: the options that look for newer versions ask, and Gatehouse starts every command with `PIP_DISABLE_PIP_VERSION_CHECK=1`, since an older pip looks for a newer one of itself.',
    secrets: 'Names, versions and folders.',
  },
  {
    name: 'Source files',
    rows: /^(?:gofmt|shellcheck --norc)$/,
    reads: /^/,
    code: 'No: `gofmt` has no configuration, and `--norc` keeps `shellcheck` from reading one.',
    links: 'No: `gofmt` skips links below folders. Following `source` asks.',
    writes: NO_WRITES,
    hosts: NO_HOSTS,
    secrets: INPUT_ONLY,
  },
  {
    name: 'JSON by Python',
    rows: /^python3? -I -m json\.tool$/,
    code: 'No: with `-I`, modules come from the installation only, neither from the folder it runs in nor from the environment.',
    links: NAMED_LINKS,
    writes: 'No: a second operand, which it writes, asks.',
    hosts: NO_HOSTS,
    secrets: INPUT_ONLY,
  },
  {
    name: 'Archives',
    rows: /^(?:tar .*|unzip -[lp]|zipinfo|zcat|bzcat|xzcat|gzip -\w+|gunzip -c|xz -l)$/,
    code: 'No: they start their own decompressors only.',
    links: NAMED_LINKS,
    writes: 'No: they list, or print to the output.',
    hosts: 'No: `host:archive` asks.',
    secrets: INPUT_ONLY,
  },
  {
    name: 'Object files',
    rows: /^(?:nm|objdump|readelf|size|strings)$/,
    code: 'No: options from `@file` ask, and so do plugins.',
    links:
      'No: printing source files (`objdump -S`) asks, and so does an archive that names other files.',
    writes: NO_WRITES,
    hosts: 'No: nothing that looks for separate debug information is let through.',
    secrets: INPUT_ONLY,
  },
  {
    name: 'Certificates',
    rows: /^openssl /,
    code: 'The settings of the system only.',
    links: NAMED_LINKS,
    writes: 'No: `-out` asks.',
    hosts: 'No: values that are URLs ask.',
    secrets: 'Private keys aren’t among what is printed, and files with keys ask.',
  },
  {
    name: 'Requests to this machine',
    rows: /^curl$/,
    contacts: /^(?:127(?:\.\d+){3}|::1):/,
    code: 'No: options that load something ask. curl reads its settings from the home folder of the user, whose configuration is trusted, and never from the project.',
    links: 'No operand is a file.',
    writes: 'No: only `/dev/null` and the standard output may be named.',
    hosts:
      'Only addresses of the loopback interface, with GET or HEAD. Redirects aren’t followed. A proxy that the user configured is used.',
    secrets: 'What a server on this machine answers. Nothing is sent but the headers of the line.',
  },
  {
    name: 'Containers',
    rows: /^docker /,
    argued:
      'It needs a running daemon. The client only sends one request to it; nothing of the project is read, unlike with `docker compose`.',
    code: 'No: the settings of the user only.',
    links: 'No operand is a file.',
    writes: 'No.',
    hosts: 'Only the daemon that the user configured, normally on this machine.',
    secrets: 'What prints the environment of a container asks.',
  },
  {
    name: 'Services',
    rows: /^(?:systemctl status|journalctl)$/,
    argued: 'It needs systemd. Options that name another machine or folder ask.',
    code: 'No: the settings of the system only.',
    links: 'No operand is a file.',
    writes: 'No.',
    hosts: 'No: `-H` asks.',
    secrets: 'The logs of the system, as far as the user may read them.',
  },
];

/** The family of a row. Throws if there is none, or several. */
export function familyOf([pattern]: CommandRow): Family {
  const found = FAMILIES.filter(({ rows }) => rows.test(pattern));
  const version = found.find(({ name }) => name === 'Versions and help');
  if (version !== undefined) return version;
  const [family, ...others] = found;
  if (family === undefined || others.length > 0)
    throw new Error(`"${pattern}" belongs to ${found.length} families`);
  return family;
}
