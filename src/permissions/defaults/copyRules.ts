import type { Rule } from '../rules/rule.ts';

/**
 * Commands that run code of the project, so that no shipped rule allows them in the workspace itself: in the
 * copy only. Each stands for itself and with any words after it.
 */
export const COPY_COMMANDS: readonly string[] = [
  ...['npm test', 'npm run', 'npm ls', 'npm list', 'npx', 'pnpm', 'yarn', 'bun', 'deno'],
  ...['jest', 'vitest', 'tsc', 'eslint', 'prettier', 'nx', 'turbo'],
  ...['pytest', 'tox', 'nox', 'flake8', 'mypy', 'ruff', 'black', 'poetry', 'pipenv', 'uv'],
  ...['cargo', 'rustc', 'go', 'make', 'just', 'task', 'gradle', 'mvn', 'dotnet'],
  ...['bundle', 'rake', 'rspec', 'composer', 'phpunit'],
];

/**
 * Clients of services, most of them on this machine. The copy reaches none, by TCP or by a socket, so they would only
 * fail there: they ask.
 */
export const CLIENT_COMMANDS: readonly string[] = [
  ...['psql', 'pgcli', 'pg_dump', 'pg_dumpall', 'pg_restore', 'createdb', 'dropdb', 'pg_isready'],
  ...['mysql', 'mysqldump', 'mysqladmin', 'mariadb', 'mariadb-dump', 'redis-cli', 'valkey-cli'],
  ...['mongosh', 'mongo', 'mongodump', 'mongorestore', 'sqlcmd', 'clickhouse-client', 'cqlsh'],
  ...['docker', 'docker-compose', 'podman', 'nerdctl', 'kubectl', 'helm', 'minikube', 'kind'],
  ...['systemctl', 'service', 'adb', 'etcdctl', 'rabbitmqctl', 'kcat'],
];

/**
 * Lines that end in the background, which the copy would end with them, and that name this machine, of which the copy
 * has another one: they ask.
 */
const UNSUITED: readonly string[] = ['*&', '*localhost*', '*127.0.0.1*', '*::1*'];

/**
 * The shipped rules of sessions whose commands may run in a copy of the workspace. They apply to calls that
 * would only ask because no rule decides them, and decide about nothing that reaches the workspace
 * itself. A rule of the user is never weakened by them: `copy bash *` with `ask` asks about all of these.
 */
export const COPY_RULES: readonly Rule[] = [
  ['bash *', 'allow'] as const,
  ...withWords(COPY_COMMANDS).map((pattern) => [pattern, 'allow'] as const),
  ...withWords(CLIENT_COMMANDS).map((pattern) => [pattern, 'ask'] as const),
  ...UNSUITED.map((pattern) => [`bash ${pattern}`, 'ask'] as const),
].map(([pattern, action], index) => ({
  permission: 'copy',
  pattern,
  action,
  source: 'manifest',
  origin: { layer: 'default', index },
}));

function withWords(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => [`bash ${line}`, `bash ${line} *`]);
}
