/**
 * The environment of a command: the user's own, without variables that change how a program runs
 * (such as BASH_ENV), and with pagers and prompts turned off, because no one can answer them.
 */
export function childEnvironment(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !DROPPED.test(name)) kept[name] = value;
  }
  return { ...kept, ...QUIET, ...addGitConfig(kept) };
}

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
  TERM: 'dumb',
};

/** The environment for a terminal whose own environment is unknown. */
export const NEUTRAL: Readonly<Record<string, string>> = { ...QUIET, ...addGitConfig({}) };
