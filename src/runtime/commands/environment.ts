/** The variable by which processes of one command are found again, wherever they went. */
export const RUN_MARK = 'GATE_RUN';

/**
 * The environment of a command: the user's own without what would change the child's meaning
 * (contract: agents), with pagers and prompts turned off, since nobody sits in front of it.
 */
export function childEnvironment(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !DROPPED.test(name)) kept[name] = value;
  }
  return { ...kept, ...QUIET, ...addGitConfig(kept) };
}

// BASH_ENV, ENV and exported functions run code before the command that was judged.
const DROPPED =
  /^(ELECTRON_RUN_AS_NODE|VSCODE_.*|GATEHOUSE_.*|GATE_RUN|NODE_OPTIONS|BASH_ENV|ENV|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_FUNC_.*)$/;

/**
 * A folder of a workspace that looks like a bare repository brings a configuration that runs
 * programs, so git may use one only when it is named by `--git-dir`.
 */
const GIT_CONFIG: readonly [key: string, value: string] = ['safe.bareRepository', 'explicit'];

/** Configuration for git behind what the user's own environment holds already. */
function addGitConfig(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const given = Number(env['GIT_CONFIG_COUNT'] ?? '0');
  // Git itself refuses a count that is none.
  if (!Number.isInteger(given) || given < 0) return {};
  const [key, value] = GIT_CONFIG;
  return {
    GIT_CONFIG_COUNT: String(given + 1),
    [`GIT_CONFIG_KEY_${given}`]: key,
    [`GIT_CONFIG_VALUE_${given}`]: value,
  };
}

/** Pagers and prompts turned off. */
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
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'force',
  GCM_INTERACTIVE: 'never',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
  TERM: 'dumb',
};

/** What a command gets in a terminal whose own environment is not known. */
export const NEUTRAL: Readonly<Record<string, string>> = { ...QUIET, ...addGitConfig({}) };
