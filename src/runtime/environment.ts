/** The variable by which processes of one command are found again, wherever they went. */
export const RUN_MARK = 'GATE_RUN';

/**
 * The environment of a command: the user's own without what would change the child's meaning
 * (contract: agents), with pagers and prompts turned off, since nobody sits in front of it.
 */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  mark: string,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !DROPPED.test(name)) kept[name] = value;
  }
  return { ...kept, ...NEUTRAL, [RUN_MARK]: mark };
}

// BASH_ENV, ENV and exported functions run code before the command that was judged.
const DROPPED =
  /^(ELECTRON_RUN_AS_NODE|VSCODE_.*|GATEHOUSE_.*|GATE_RUN|NODE_OPTIONS|BASH_ENV|ENV|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_FUNC_.*)$/;

/** Pagers and prompts turned off. */
export const NEUTRAL: Readonly<Record<string, string>> = {
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
