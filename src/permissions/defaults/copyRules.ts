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
 * The shipped rules of sessions whose commands may run in a copy of the workspace. They apply to calls that
 * would only ask because no rule decides them, and decide about nothing that reaches the workspace
 * itself. A rule of the user is never weakened by them: `copy bash *` with `ask` asks about all of these.
 */
export const COPY_RULES: readonly Rule[] = [
  'bash *',
  ...COPY_COMMANDS.flatMap((line) => [`bash ${line}`, `bash ${line} *`]),
].map((pattern, index) => ({
  permission: 'copy',
  pattern,
  action: 'allow',
  source: 'manifest',
  origin: { layer: 'default', index },
}));
