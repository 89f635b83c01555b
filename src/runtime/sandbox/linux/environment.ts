import { NEUTRAL } from '../../commands/environment.ts';

/**
 * The environment inside: variables that tools need to find themselves and to print, nothing that may be
 * a secret. It is passed by the start of the process, never on a command line, which every user can read.
 */
export function toInsideEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && KEPT.test(name) && !SECRET.test(name)) kept[name] = value;
  }
  return { ...kept, ...NEUTRAL, ...QUIET, HOME: home, TMPDIR: '/tmp' };
}

const KEPT =
  /^(PATH|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|COLORTERM|NO_COLOR|FORCE_COLOR|CI|NVM_.*|PYENV_.*|ASDF_.*|VIRTUAL_ENV|CONDA_.*|JAVA_HOME|GOPATH|GOROOT|GOFLAGS|CARGO_HOME|RUSTUP_.*|NODE_ENV|PYTHON(DONTWRITEBYTECODE|UNBUFFERED|UTF8|HASHSEED)|MAKEFLAGS)$/;
const SECRET = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/i;

/** Turns off what tools ask the network on their own account: without one they would only wait. */
const QUIET: Readonly<Record<string, string>> = {
  NO_UPDATE_NOTIFIER: '1',
  npm_config_update_notifier: 'false',
  npm_config_fetch_retries: '0',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_RETRIES: '0',
  CARGO_NET_RETRY: '0',
  GOTOOLCHAIN: 'local',
  DO_NOT_TRACK: '1',
  CHECKPOINT_DISABLE: '1',
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
};
