import type { Program } from './program.ts';

/** Programs that publish packages, or take them from a source that an option or a name selects. */
export const PUBLISHERS: Readonly<Record<string, Program>> = {
  gem: {
    runs: 'e editor',
    codeWords: 'exec',
    addresses: 'host source s http-proxy p',
  },
  twine: {
    starts: true,
    runs: 'r repository repository-url config-file sign-with',
    addresses: 'repository-url',
  },
  flit: { starts: true, runs: 'repository pypirc' },
  poetry: { runs: 'C directory P project r repository source' },
  uv: {
    runs: 'index-url i default-index extra-index-url index f find-links p python config-file directory project env-file publish-url check-url',
  },
  pipx: {
    starts: true,
    runs: 'spec pip-args python index-url i editable e',
    codeWords: 'runpip',
  },
  dotnet: {
    starts: true,
    script: 'dotnet',
    words: true,
    runs: 's source settings configfile add-source additionalprobingpath additional-deps',
    codeWords: 'fsi exec',
  },
  nuget: { starts: true, words: true, runs: 'Source src s ConfigFile' },
  helm: {
    runs: 'post-renderer kubeconfig kube-apiserver kube-context kube-token kube-as-user repository-config plugins',
    codeWords: 'plugin',
  },
  aws: { hosts: 'named', addresses: 'endpoint-url', runs: 'ca-bundle' },
  rclone: { runs: 'password-command config sftp-ssh', hosts: 'named' },
  restic: { runs: 'password-command option o r repo repository-file', hosts: 'named' },
  borg: { runs: 'rsh', hosts: 'remote' },
  pg_dump: { starts: true, writes: 'f file', addresses: 'h host', valued: 'U d p n N t T F Z E' },
  mysqldump: {
    starts: true,
    addresses: 'h host',
    valued: 'u P',
    optional: 'p',
    runs: 'defaults-file defaults-extra-file',
  },
};
