/**
 * Subcommands whose other names an ask or deny must cover, too; those joined by a bar mean the same.
 * Programs in `ABBREVIATING` also take any beginning of a name.
 */
const NAMES: Readonly<Record<string, string>> = {
  npm: `publish unpublish deprecate access|ac adduser|add-user|login logout token|tok trust owner|author org|ogr
    team profile hook version|verison config|c set get exec|x explore run|run-script|rum|urn test|t|tst start stop restart
    install|i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall|add install-test|it
    install-ci-test|clean-install-test|cit|sit ci|clean-install|ic|install-clean|isntall-clean
    uninstall|unlink|remove|rm|r|un update|up|u|upgrade|udpate link|ln init|create|innit rebuild|rb
    audit cache dedupe|ddp prune pack pkg dist-tag|dist-tags shrinkwrap edit view|v|info|show search|s|se|find
    ls|list outdated doctor docs|home bugs|issues repo help|hlep explain|why ping root star stars unstar
    undeprecate whoami query sbom stage completion diff fund prefix ll|la approve-scripts deny-scripts install-scripts
    find-dupes help-search`,
  pnpm: `install|i add remove|rm|uninstall|un update|up|upgrade run|run-script publish test|t|tst link|ln
    unlink|dislink exec dlx list|ls import prune config|c rebuild|rb create audit outdated`,
  yarn: 'install add remove upgrade|up run exec dlx publish npm config global link unlink',
  cargo:
    'build|b check|c doc|d test|t run|r remove|rm publish install uninstall add yank owner login',
  gem: `push yank install|i uninstall update exec owner signin signout build cleanup fetch unpack cert sources
    query list search environment`,
  composer: `install|i update|u|upgrade require|r remove|rm|uninstall exec run-script|run global|g config
    create-project self-update|selfupdate dump-autoload|dumpautoload reinstall show|info outdated status`,
  bundle: `install|i exec|e update|u add remove config|c package|pack|cache open console gem clean init lock
    outdated show list info check doctor`,
  ip: `address|addr|a link|l route|r|ro neighbour|neighbor|neigh|n rule|ru tunnel|tun netns xfrm maddress|m
    monitor|mon netconf token add del|delete change replace set flush append show|list|lst exec`,
  brew: 'install uninstall|rm|remove upgrade update|up list|ls services tap untap link|ln unlink reinstall',
  apt: 'install remove purge|autopurge upgrade|full-upgrade update autoremove|auto-remove',
  'apt-get': 'install remove purge upgrade|dist-upgrade update autoremove|auto-remove',
};

const ABBREVIATING: ReadonlySet<string> = new Set('npm gem composer bundle ip'.split(' '));

/** Programs of containers, which have an old and a new name for the same: `docker image rm`, `docker rmi`. */
const CONTAINERS: ReadonlySet<string> = new Set(['docker', 'podman', 'nerdctl']);

/** What follows `docker container`, and means the same without it. */
const OF_CONTAINERS: ReadonlySet<string> = new Set(
  `attach commit cp create diff exec export kill logs pause port rename restart rm run start stats stop top
  unpause update wait`.split(/\s+/),
);

const SHORT: Readonly<Record<string, string>> = {
  'image push': 'push',
  'image pull': 'pull',
  'image build': 'build',
  'builder build': 'build',
  'image rm': 'rmi',
  'image remove': 'rmi',
  'image tag': 'tag',
  'image save': 'save',
  'image load': 'load',
  'image import': 'import',
  'image history': 'history',
  'image ls': 'images',
  'image list': 'images',
  'container ls': 'ps',
  'container list': 'ps',
  'container ps': 'ps',
  'container remove': 'rm',
  'system info': 'info',
  'volume remove': 'volume rm',
  'network remove': 'network rm',
};

/** The most spellings of a command that are compared. */
const LIMIT = 64;
/** How many words that are no options follow the program up to the last with such names: `ip -f inet address add`. */
const WORDS = 3;

/**
 * Other spellings of a command whose subcommand has several names, or may be abbreviated. `values` are
 * its words, of which the first is the name of the program. Empty for most programs.
 */
export function listSpellings(values: readonly string[]): readonly string[] {
  const [program = '', ...rest] = values;
  if (CONTAINERS.has(program)) return listForContainers(values);
  if (!Object.hasOwn(NAMES, program)) return NONE;
  let spellings: readonly (readonly string[])[] = [[program]];
  let left = WORDS;
  for (const value of rest) {
    const counts = left > 0 && !value.startsWith('-');
    if (counts) left -= 1;
    const names = counts ? [value, ...listNames(program, value)] : [value];
    spellings = spellings.flatMap((each) => names.map((name) => [...each, name])).slice(0, LIMIT);
  }
  const own = values.join(' ');
  return spellings.map((each) => each.join(' ')).filter((each) => each !== own);
}

const NONE: readonly string[] = [];

const groups = new Map<string, readonly (readonly string[])[]>();

/** Other names of the subcommand. An abbreviation is that of every name that it may stand for. */
function listNames(program: string, written: string): readonly string[] {
  const all = groups.get(program) ?? parseNames(NAMES[program] ?? '');
  groups.set(program, all);
  // npm reads `runScript` as `run-script`.
  const word = program === 'npm' ? written.replace(/[A-Z]/g, '-$&').toLowerCase() : written;
  const exact = all.filter((group) => group.includes(word));
  // `ip a a` is `ip address add`.
  const begins = ABBREVIATING.has(program) && (exact.length === 0 || program === 'ip');
  const meant = begins ? all.filter((group) => group.some((name) => name.startsWith(word))) : exact;
  return meant.flat().filter((name) => name !== written);
}

function parseNames(text: string): readonly (readonly string[])[] {
  return text.split(/\s+/).map((group) => group.split('|'));
}

/** `docker image rm x` for `docker rmi x`, and the reverse. */
function listForContainers(values: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const [index, value] of values.slice(0, 8).entries()) {
    if (index === 0) continue;
    const replace = (count: number, text: string) =>
      found.push([...values.slice(0, index), text, ...values.slice(index + count)].join(' '));
    const pair = `${value} ${values[index + 1] ?? ''}`;
    const next = values[index + 1] ?? '';
    const short = Object.hasOwn(SHORT, pair) ? SHORT[pair] : undefined;
    if (short !== undefined) replace(2, short);
    if (value === 'container' && OF_CONTAINERS.has(next)) replace(2, next);
    for (const [long, each] of Object.entries(SHORT)) if (each === value) replace(1, long);
    if (OF_CONTAINERS.has(value)) replace(1, `container ${value}`);
  }
  return found.slice(0, LIMIT);
}
