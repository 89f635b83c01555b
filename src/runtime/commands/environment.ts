import path from 'node:path';

/**
 * The environment of a program that Gatehouse starts: ordinary variables, such as PATH and LANG, and those
 * that the user passes (`gatehouse.environment.pass`). Nothing else, since a variable may be a secret.
 * Pagers and prompts are turned off, because no one can answer them.
 */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  passes: readonly string[] = [],
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  const isPassed = createFilter(passes);
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !isPassed(name, value)) continue;
    const own = toComparable(name) === 'PATH' ? dropRelative(value, env) : value;
    if (own !== undefined) kept[name] = own;
  }
  return { ...kept, ...QUIET, ...addGitConfig(kept) };
}

/**
 * PATH without relative and empty folders, which would let any folder that a command enters replace programs.
 * Undefined: none is left. Bash reads an empty PATH as the current folder.
 */
function dropRelative(folders: string, env: NodeJS.ProcessEnv): string | undefined {
  const home = env['HOME'] ?? '';
  const kept = folders.split(path.delimiter).flatMap((folder) => {
    // Of those that look up programs, only bash takes `~` for the home.
    const full = /^~(?:\/|$)/.test(folder) ? home + folder.slice(1) : folder;
    return path.isAbsolute(full.replace(/^"/, '')) ? [full] : [];
  });
  return kept.length === 0 ? undefined : kept.join(path.delimiter);
}

/** A name that may hold a secret is passed only if an item names exactly it. */
function createFilter(passes: readonly string[]): (name: string, value: string) => boolean {
  const items = passes.map(toComparable);
  const names = new Set(items);
  const prefixes = items.filter((item) => item.endsWith('_*')).map((item) => item.slice(0, -1));
  return (name, value) => {
    if (DROPPED.test(name)) return false;
    const own = toComparable(name);
    if (names.has(own)) return true;
    if (SECRET.test(name)) return false;
    if (prefixes.some((prefix) => own.startsWith(prefix))) return true;
    return ORDINARY.test(name) && !holdsCredentials(name, value);
  };
}

/** Windows does not distinguish upper and lower case in names. */
function toComparable(name: string): string {
  return process.platform === 'win32' ? name.toUpperCase() : name;
}

/** Words in names of variables that hold secrets. */
const SECRET = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH|COOKIE/i;

/** A URL with a user or a password, such as `https://me:word@proxy:3128`. A proxy may have no scheme. */
function holdsCredentials(name: string, value: string): boolean {
  if (/proxy$/i.test(name)) return value.includes('@');
  return /:\/\/\S*:\S*@|\bhttps?:\/\/\S*@/i.test(value);
}

/**
 * Where the user and the programs are, how to print, and which account, cluster or certificate is meant:
 * without the last, a command would reach another one. What loads code (LD_PRELOAD), reaches the desktop
 * (DISPLAY) or lends keys (SSH_AUTH_SOCK) is not among them.
 */
const ORDINARY_NAMES = `
  PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_* TZ TZDIR TMPDIR TMP TEMP XDG_* INFOPATH MANPATH
  TERM TERMINFO COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE LS_COLORS CI
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY http_proxy https_proxy all_proxy no_proxy ftp_proxy
  SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO
  AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION KUBECONFIG DOCKER_HOST DOCKER_CONTEXT
  GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
  HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE WSL_DISTRO_NAME
  NVM_* FNM_* ASDF_* MISE_* VOLTA_HOME N_PREFIX
  NODE_ENV PNPM_HOME COREPACK_HOME BUN_INSTALL DENO_DIR DENO_INSTALL npm_config_* NPM_CONFIG_*
  VIRTUAL_ENV VIRTUAL_ENV_PROMPT CONDA_* PYENV_* POETRY_HOME PIPX_HOME PIPX_BIN_DIR
  PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONUTF8 PYTHONHASHSEED PYTHONIOENCODING
  JAVA_HOME JDK_HOME SDKMAN_DIR MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT
  GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY GOPRIVATE GOSUMDB GOTOOLCHAIN GOOS GOARCH CGO_ENABLED
  CARGO_HOME CARGO_TARGET_DIR RUSTUP_* RBENV_* GEM_HOME GEM_PATH COMPOSER_HOME DOTNET_ROOT FLUTTER_ROOT MAKEFLAGS`;

/** Without these, programs don't start on Windows. */
const WINDOWS_NAMES = `
  SystemRoot SystemDrive windir ComSpec OS PATHEXT APPDATA LOCALAPPDATA ProgramData ALLUSERSPROFILE PUBLIC
  ProgramFiles* ProgramW6432 CommonProgramFiles* CommonProgramW6432 USERPROFILE USERNAME USERDOMAIN HOMEDRIVE
  HOMEPATH COMPUTERNAME NUMBER_OF_PROCESSORS PROCESSOR_* PSModulePath`;

const ORDINARY =
  process.platform === 'win32'
    ? toPattern(`${ORDINARY_NAMES} ${WINDOWS_NAMES}`, 'i')
    : toPattern(ORDINARY_NAMES, '');

function toPattern(names: string, flags: string): RegExp {
  const each = names
    .trim()
    .split(/\s+/)
    .map((name) => name.replace('*', '.*'));
  return new RegExp(`^(${each.join('|')})$`, flags);
}

// These are never passed, whatever the user passes, since they change what an evaluated line does.
// BASH_ENV, ENV, PS4 and exported functions would run code beside the command that was evaluated; `cd -`
// would lead to the folder that the editor was started from; CDPATH
// and those after it change where `cd` goes, what a glob matches and how a line or its options are read.
const DROPPED =
  /^(ELECTRON_RUN_AS_NODE|VSCODE_.*|GATEHOUSE_.*|GATE_RUN|GATE_HOST|NODE_OPTIONS|BASH_ENV|ENV|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|PS4|OLDPWD|CDPATH|GLOBIGNORE|GLOBSORT|EXECIGNORE|POSIXLY_CORRECT|BASH_COMPAT|BASH_LOADABLES_PATH)$/;

/**
 * A workspace folder that looks like a bare repository may bring a git configuration that runs
 * programs. Git may use such a folder only when `--git-dir` names it.
 */
const GIT_CONFIG: readonly (readonly [key: string, value: string])[] = [
  ['safe.bareRepository', 'explicit'],
  // Otherwise `git diff` updates the index, which runs a hook.
  ['diff.autoRefreshIndex', 'false'],
];

/** Appends our git configuration to what the user's environment already sets. */
function addGitConfig(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const given = Number(env['GIT_CONFIG_COUNT'] ?? '0');
  // Git itself rejects an invalid count.
  if (!Number.isInteger(given) || given < 0) return {};
  const added = GIT_CONFIG.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${given + index}`, key],
    [`GIT_CONFIG_VALUE_${given + index}`, value],
  ]);
  return {
    GIT_CONFIG_COUNT: String(given + GIT_CONFIG.length),
    ...Object.fromEntries(added),
  };
}

/** Turns off pagers and prompts. */
const QUIET: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GH_PAGER: 'cat',
  AWS_PAGER: '',
  LESS: '-FRX',
  EDITOR: 'false',
  VISUAL: 'false',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_TERMINAL_PROMPT: '0',
  // Commands that only read don't update the index, which would run a hook.
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'force',
  GCM_INTERACTIVE: 'never',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
  // In pip 23 and older, even `pip list` asks the package index once a week for a newer pip.
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  TERM: 'dumb',
};

/** The environment for a terminal whose own environment is unknown. */
export const NEUTRAL: Readonly<Record<string, string>> = { ...QUIET, ...addGitConfig({}) };
