/**
 * Programs that start another one after arguments of their own. An allow must contain the whole
 * command literally, and a deny is matched at every word.
 */
export const LOOSE_LAUNCHERS: ReadonlySet<string> = new Set(
  `setarch systemd-nspawn systemd-cat capsh sg newgrp start-stop-daemon daemon daemonize setuidgid
  chpst envdir envuidgid softlimit s6-setuidgid s6-envdir s6-softlimit s6-applyuidgid runsv lockf setlock
  with-lock-ex lockrun pgrphack fghack argv0 tcpserver trickle cgexec cset schedtool nq sem tsp
  task-spooler mosh autossh sshpass pssh parallel-ssh pdsh clush dsh salt salt-call ansible xinit startx
  xterm uxterm urxvt rxvt st lxterminal xfce4-terminal gnome-terminal terminator tilix konsole alacritty
  kitty wezterm foot footclient ghostty x-terminal-emulator faketime fakeroot-ng pseudo nsjail minijail0
  sandbox-exec runsc crun runc youki rr heaptrack samply poop multitime rush reflex chokidar onchange
  watchexec nodemon npm-run-all run-s run-p foreman honcho overmind hivemind dtach abduco byobu dotenvx
  infisical teller flatpak-spawn lxc-attach adb run-parts xdotool ydotool incrontab dtruss dtrace bpftrace
  uftrace kcov coz`.split(/\s+/),
);

/**
 * For these, the first word after the subcommand is the command; for the others it may be any word.
 */
export const PLAIN_SUBCOMMANDS: ReadonlySet<string> = new Set(
  'npm pnpm yarn bun bundle poetry pipenv uv rye pdm hatch perf opam stack cabal'.split(' '),
);

/** Programs that take any beginning of a subcommand for it: `ip net ex`, `bundle e`. */
export const ABBREVIATED: ReadonlySet<string> = new Set('ip composer opam bundle tmux'.split(' '));

/** `program word … command`: the command follows one of these subcommands. */
export const SUBCOMMAND_LAUNCHERS: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'exe', 'x'],
  pipx: ['run'],
  micromamba: ['run'],
  pixi: ['run', 'r', 'exec', 'x'],
  tox: ['exec'],
  dotenv: ['run'],
  sops: ['exec-env', 'exec-file'],
  devbox: ['run', 'shell'],
  flox: ['activate'],
  devenv: ['shell'],
  incus: ['exec'],
  multipass: ['exec'],
  limactl: ['shell'],
  lima: ['shell'],
  colima: ['ssh'],
  zellij: ['run', 'action'],
  gcloud: ['ssh'],
  az: ['run-command', 'ssh'],
  buildah: ['run'],
  crictl: ['exec'],
  ctr: ['exec', 'run'],
  pnpm: ['exec', 'dlx'],
  yarn: ['exec', 'dlx'],
  bun: ['x', 'exec'],
  bundle: ['exec'],
  composer: ['exec'],
  poetry: ['run'],
  pipenv: ['run'],
  uv: ['run'],
  rye: ['run', 'r'],
  pdm: ['run'],
  hatch: ['run'],
  conda: ['run'],
  mamba: ['run'],
  docker: ['run', 'exec'],
  podman: ['run', 'exec'],
  nerdctl: ['run', 'exec'],
  'docker-compose': ['run', 'exec'],
  kubectl: ['exec', 'run', 'debug'],
  oc: ['exec', 'run', 'rsh'],
  vagrant: ['ssh'],
  heroku: ['run', 'run:detached', 'run:inside', 'local:run', 'ps:exec'],
  fly: ['ssh'],
  rustup: ['run'],
  rbenv: ['exec'],
  pyenv: ['exec'],
  nodenv: ['exec'],
  asdf: ['exec'],
  mise: ['exec', 'x'],
  volta: ['run'],
  fnm: ['exec'],
  nvm: ['exec', 'run'],
  opam: ['exec'],
  stack: ['exec'],
  cabal: ['exec'],
  luarocks: ['exec'],
  // `netns exec` and `vrf exec`.
  ip: ['exec'],
  lxc: ['exec'],
  machinectl: ['shell'],
  distrobox: ['enter'],
  toolbox: ['run'],
  flatpak: ['run', 'enter'],
  snap: ['run'],
  tmux: [
    'new-session',
    'new',
    'new-window',
    'neww',
    'split-window',
    'splitw',
    'run-shell',
    'run',
    'if-shell',
    'if',
    'send-keys',
    'send',
    'respawn-pane',
    'pipe-pane',
    'set-hook',
    'bind-key',
    'bind',
    'popup',
    'display-popup',
  ],
  op: ['run'],
  doppler: ['run'],
  vault: ['exec'],
  chamber: ['exec'],
  'aws-vault': ['exec'],
  xcrun: ['--run'],
  perf: ['stat', 'record', 'trace'],
};
