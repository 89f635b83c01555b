import { LOCAL_REQUEST_OPTIONS } from '../patterns/localRequest.ts';
import type { CommandRow } from './defaultCommands.ts';

/**
 * Programs whose `--version` reads nothing of the project. Most package managers and build tools
 * aren't among them: they load plugins or another version of themselves first
 * (docs/default-commands.md).
 */
const VERSIONED =
  `node npm npx python python3 pip pip3 ruby gem perl php java javac make cmake ninja gcc g++ docker
  apt jq rg fd curl wget bash zsh vim sqlite3 psql mysql redis-cli protoc shellcheck mypy black tsc eslint prettier`.split(
    /\s+/,
  );

export const DEVELOPMENT: readonly CommandRow[] = [
  ...VERSIONED.map((program) => [`${program} --version`, '! --version'] as const),
  ...[
    ...['node -v', 'npm -v', 'npx -v', 'ruby -v', 'php -v', 'tsc -v', 'perl -v', 'make -v'],
    ...['python -V', 'python3 -V', 'java -version', 'javac -version'],
  ].map((pattern) => [pattern, `! ${pattern.split(' ')[1] ?? ''}`] as const),
  ['node --help', '! --help'],
  ['make --help', '! --help'],
  ['pip list', '--format= --not-required'],
  ['pip show', '-f --files'],
  ['pip check', '!'],
  ['pip3 list', '--format= --not-required'],
  ['pip3 show', '-f --files'],
  ['pip3 check', '!'],
  ['gem list', '-l --local'],
  ...['python', 'python3'].map(
    (program) =>
      [
        `${program} -I -m json.tool`,
        '-I -m --sort-keys --no-ensure-ascii --json-lines --indent= --tab --no-indent --compact',
      ] as const,
  ),
  ['gofmt', '-l -d -s -e'],
  // Its configuration file may let it read files outside the workspace.
  ['shellcheck --norc', '--norc -s: -f: -e: -S: --shell= --format= --exclude= --severity='],
  ...['docker ps', 'docker container ls'].map(
    (pattern) =>
      [
        pattern,
        '-a -q -l -n: -s -f: --all --quiet --filter= --format= --no-trunc --last=',
      ] as const,
  ),
  ...['docker images', 'docker image ls'].map(
    (pattern) => [pattern, '-a -q -f: --all --filter= --format= --no-trunc --digests'] as const,
  ),
  ['docker logs', '-f -n: -t --follow --tail= --since= --until= --timestamps --details'],
  ['docker stats', '-a --no-stream --format='],
  ['docker top', ''],
  ['docker port', ''],
  ['docker version', '-f: --format='],
  ['docker volume ls', '-q -f: --filter= --format='],
  ['docker network ls', '-q -f: --filter= --format='],
  ['docker system df', '-v --format='],
  ['docker context ls', '-q --format='],
  ['systemctl status', '--no-pager -l'],
  // Of its operands, only addresses of this machine.
  ['curl', `@ ${LOCAL_REQUEST_OPTIONS}`],
];
