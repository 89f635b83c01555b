/**
 * Variables that act on the programs which build a sandbox, such as the loader's, whose folders may be ones of the
 * workspace. They are set inside only.
 */
export function takeLoading(env: Readonly<Record<string, string>>): {
  readonly outside: Readonly<Record<string, string>>;
  readonly loading: Readonly<Record<string, string>>;
} {
  const all = Object.entries(env);
  const isLoading = ([name]: (typeof all)[number]) => LOADING.test(name);
  return {
    outside: Object.fromEntries(all.filter((each) => !isLoading(each))),
    loading: Object.fromEntries(all.filter(isLoading)),
  };
}

/** Of the loader, the C library, mount, and of bash and perl, which are the wrapper and the bridge. */
const LOADING =
  /^(LD_.*|GLIBC_.*|MALLOC_.*|GCONV_PATH|LOCPATH|NLSPATH|LIBMOUNT_.*|LIBBLKID_.*|ENV|BASH_.*|BASHOPTS|SHELLOPTS|IFS|PS4|GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT|PERL.*)$/;

/**
 * The environment inside, of what `childEnvironment` passes to a command: without the folders and proxies
 * of the host, which don't exist there. It is passed by the start of the process, never on a command line,
 * which every user can read.
 */
export function toInsideEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !OF_THE_HOST.test(name) && !OF_THE_WRAPPER.test(name)) {
      kept[name] = value;
    }
  }
  return { ...kept, ...QUIET, HOME: home, TMPDIR: '/tmp' };
}

/** Passed on by the user, one would be taken for what only the sandbox sets. */
const OF_THE_WRAPPER = /^GATE_/;

const OF_THE_HOST = /^(TMP|TEMP|XDG_.*|.*_proxy|SSH_AUTH_SOCK|DBUS_.*|DISPLAY|WAYLAND_DISPLAY)$/i;

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
