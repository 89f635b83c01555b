import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/** The program `ls` may run, whatever starts it. */
async function decide(command: string, ...patterns: readonly string[]) {
  const rules = ['ls *', ...patterns].map((each) => `bash ${each} allow`);
  return evaluateBash(command, rules);
}

// The program is one of a package that the rule for it doesn't know.
for (const command of [
  'npx -p other ls',
  'npx -pother ls',
  'npx -yp other ls',
  'npx --package other ls',
  'npx --package=other ls',
  'npx --pack other ls',
  'npx -y --package=other ls',
  "npx -c 'other x'",
  'npx --call other',
  'npx --registry=https://other.example ls',
  'npm exec --package=other ls',
  'npm exec --package other -- ls',
  'npm exec -p other -- ls',
  'npm x --package=other -- ls',
  "npm exec -c 'other x'",
  'npm init other',
  'npm init -y other',
  'npm create other',
  'pnpm dlx --package other ls',
  'pnpm --package=other dlx ls',
  "pnpm dlx -c 'other x'",
  'pnpx --package other ls',
  'pnpx --package=other ls',
  'yarn dlx -p other ls',
  'yarn dlx --package=other ls',
  'uvx --from other ls',
  'uvx --from=other ls',
  'uvx --fro other ls',
  'uvx --with other ls',
  'uvx --python ./x ls',
  'uvx -p ./x ls',
  'uv tool run --from other ls',
  'pipx run --spec other ls',
  'pipx run --spec=other ls',
  'pipx install --spec other ls',
  'pipx install --pip-args=x ls',
  'bunx -p other ls',
  'bunx --package=other ls',
  'bun x -p other ls',
  'bun create other',
  'go run other.example/x@v1',
  'go run github.com/x/y@latest',
  'deno run https://other.example/x.ts',
  'deno https://other.example/x.ts',
  'deno test https://other.example/x.ts',
  'deno x npm:other',
  'gem exec other',
]) {
  const [program = ''] = command.split(' ');
  test(`bash(${program} *) doesn't cover ${command}`, async () => {
    const { decision, reason } = await decide(command, `${program} *`);
    assert.equal(decision, 'ask', reason);
  });
}

// The rule names the package, or the command takes none.
for (const [rule, command] of [
  ['npx *', 'npx ls'],
  ['npx *', 'npx -y ls src'],
  ['npx *', 'npx ls -p src'],
  ['npx -p other ls', 'npx -p other ls'],
  ['npx -p other *', 'npx -p other ls src'],
  ['npx --package=other *', 'npx --package=other ls src'],
  ['uvx *', 'uvx ls'],
  ['uvx --from other *', 'uvx --from other ls'],
  ['pnpx *', 'pnpx ls'],
  ['npm *', 'npm exec ls'],
  ['npm *', 'npm init -y'],
  ['pipx *', 'pipx install ls'],
  ['go *', 'go run ./cmd/x'],
  ['deno *', 'deno test src'],
] as const) {
  test(`bash(${rule}) covers ${command}`, async () => {
    const { decision, reason } = await decide(command, rule);
    assert.equal(decision, 'allow', reason);
  });
}
