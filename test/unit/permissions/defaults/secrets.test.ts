import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { holdsCredential } from '../../../../src/permissions/disk/credentials.ts';
import { listTrackedSecrets } from '../../../../src/permissions/repository/trackedFiles.ts';
import { cpuTime } from '../../cpuTime.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf, show } from '../ask.ts';

function policyIn(root: string) {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return policyOf(DEFAULT_RULES, { folders, lookMs: 60_000 });
}

const decide = (root: string, line: string) => show(evaluate(bashCall(line), policyIn(root)));

async function read(root: string, file: string): Promise<string> {
  const subject = {
    permission: 'read',
    capability: 'fs.read',
    target: file,
    match: 'path',
  } as const;
  const call = { tool: 'read', input: { path: file }, subjects: [subject] } as const;
  return (await evaluate(call, policyIn(root))).decision;
}

const SECRETS = [
  ...['.env', '.netrc', '_netrc', '.pypirc', '.git-credentials', '.git/credentials', '.pgpass'],
  ...['.aws/credentials', '.docker/config.json', '.kube/config', '.config/gh/hosts.yml'],
  ...['.cargo/credentials', '.gem/credentials', '.my.cnf', 'credentials.json', 'x.pem'],
  ...['.cargo/credentials.toml', '.config/git/credentials', 'x.jks', 'x.p8', 'x.ppk', 'prod.env'],
  ...['.dev.vars', '.dev.vars.staging', 'krb5.keytab', 'kubeconfig', 'prod.kubeconfig', '.boto'],
  ...['.databrickscfg', '.mylogin.cnf', 'rclone.conf'],
  ...['id_ed25519_sk', '.dockercfg', '.terraform.d/credentials.tfrc.json'],
] as const;

for (const file of SECRETS)
  test(`${file} asks, whatever reads it`, async () => {
    const root = plantWorkspace([`sub/${file}`, 'a.ts']);
    assert.equal(await read(root, `sub/${file}`), 'ask');
    for (const line of [`cat sub/${file}`, `head -n 3 sub/${file} | wc -l`, 'grep -rn TODO .'])
      assert.equal((await decide(root, line)).decision, 'ask', line);
    const { instead } = await decide(root, 'grep -rn TODO .');
    assert.equal((await decide(root, instead ?? 'none')).decision, 'allow', instead);
    rmSync(path.join(root, 'sub'), { recursive: true });
    assert.equal((await decide(root, 'grep -rn TODO .')).decision, 'allow');
  });

const HOLD = [
  ['.npmrc', '//registry.npmjs.org/:_authToken=npm_x\n'],
  ['.npmrc', 'registry=https://me:x@example.com/\n'],
  ['.npmrc', '_password = x\n'],
  ['.yarnrc.yml', 'npmScopes:\n  a:\n    npmAuthToken: "x"\n'],
  ['pip.conf', '[global]\nindex-url = https://x@example.com/simple\n'],
  ['.git/config', '[remote "origin"]\n\turl = https://x-access-token:abc@github.com/a/b\n'],
  ['.git/config', '[remote "origin"]\n\turl = https://abc@github.com/a/b\n'],
  ['.git/config', '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic x\n'],
  ['.git/config', '[credential]\n\thelper = "!f() { echo password=x; }; f"\n'],
  ['.git/modules/m/config', '[url "https://a:b@github.com/"] insteadOf = gh:\n'],
] as const;

/** Other names of a password or key, and values that are one whatever their name is. */
const HOLD_ALSO = [
  ['prod.tfvars', 'db_pass = "hunter2"\n'],
  ['prod.tfvars', 'admin_pwd = "hunter2"\nregion = "eu-1"\n'],
  ['prod.tfvars', 'root_pw = "hunter2"\n'],
  ['prod.tfvars', 'ssh_passphrase = "hunter2"\n'],
  ['prod.tfvars', 'google_credentials = "{}"\n'],
  ['prod.tfvars.json', '{ "accessKey": "abc", "region": "eu-1" }\n'],
  ['terraform.tfstate', '{ "primary": "AccountKey=abcdefghijklmnop==;EndpointSuffix=x" }\n'],
  ['.envrc', 'export PGPASS=hunter2\n'],
  ['.envrc', 'export SMTP_PASS="hunter2"\n'],
  ['.envrc', '# export DB_PASS=hunter2x\n'],
  ['.envrc', 'export HOOK=https://hooks.slack.com/services/T0/B0/abc\n'],
  ['.envrc', `export ID=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${'a'.repeat(43)}\n`],
  ['.envrc', `export MAPS=AIza${'a'.repeat(35)}\n`],
  ['secrets.yml', 'smtp:\n  pass: hunter2\n'],
  ['secrets.yml', 'smtp:\n  pwd: hunter2\n'],
  ['gradle.properties', 'nexusPass=hunter2\n'],
] as const;

/** Comments, and what direnv reads. */
const HOLD_TOO = [
  ['.npmrc', '; //registry.npmjs.org/:_authToken=npm_abcdef\n'],
  ['.npmrc', '# _password = "c2VjcmV0"\n'],
  ['.git/config', '[http]\n#\textraheader = AUTHORIZATION: basic abcdef\n'],
  ['.envrc', 'export GITHUB_TOKEN=ghp_abc\n'],
  ['.envrc', 'export OPENAI_API_KEY="sk-abc"\n'],
  ['.envrc', 'export DATABASE_URL=postgres://me:x@db/app\n'],
  ['.envrc', `export FOO=ghp_${'a'.repeat(36)}\n`],
  ['.npmrc', '#//r.example/:_authToken=pa$$w0rd # the old one\n'],
  ['.npmrc', `\ufeff//r.example/:_authToken=x\n`.split('').join('\0')],
  ['.terraformrc', 'credentials "app.terraform.io" {\n  token = "x"\n}\n'],
  ['prod.tfvars', 'db_password = "x"\n'],
  ['terraform.tfstate', '{ "outputs": { "a": { "password": "x" } } }\n'],
  ['terraform.tfstate.backup', '{ "outputs": { "a": { "password": "x" } } }\n'],
  ['secrets.yml', 'production:\n  secret_key_base: abc\n'],
  ['gradle.properties', 'signing.password=x\n'],
  ['bunfig.toml', '[install.scopes]\nx = { token = "a", url = "https://r.example/" }\n'],
  ['.cargo/config.toml', '[registries.a]\ntoken = "x"\n'],
  ['.config/git/config', '[url "https://a:b@github.com/"] insteadOf = gh:\n'],
] as const;

const HOLD_NOT = [
  [
    '.npmrc',
    '; //r.example/:_authToken=${NPM_TOKEN}\n# auth: see the wiki\n; _authToken=<token>\n',
  ],
  ['.envrc', 'use flake\nPATH_add bin\nexport API_KEY=${API_KEY}\n'],
  ['prod.tfvars', 'region = "eu-1"\n'],
  ['prod.tfvars', 'bypass = true\ncompass = "n"\npassive = 1\npass_through = true\n'],
  ['prod.tfvars', 'credentials_file = "x.json"\n# the pass: see the wiki\n'],
  ['.envrc', 'export ROOT=$PWD\nexport PYTHONPATH=$PWD:${PWD}:/x\nPATH=$(pwd):$PATH\n'],
  ['.git/config', '[user]\n\tsigningkey = ABCDEF12\n[credential]\n\thelper = cache\n'],
  ['.cargo/config.toml', '[registry]\nglobal-credential-providers = ["cargo:token"]\n'],
  ['gradle.properties', 'org.gradle.jvmargs=-Xmx2g\n'],
  ['.cargo/config.toml', '[build]\ntarget-dir = "target"\n# token: see CONTRIBUTING\n'],
  [
    '.npmrc',
    '# token\nregistry=https://registry.npmjs.org/\n//r.example/:_authToken=${NPM_TOKEN}\n',
  ],
  ['.yarnrc.yml', 'nodeLinker: node-modules\nnpmAuthToken: "${NPM_TOKEN}"\n'],
  [
    '.git/config',
    '[remote "origin"]\n\turl = git@github.com:a/b.git\n[credential]\n\thelper = store\n',
  ],
  ['.git/config', '[branch "token-fix"]\n\tmerge = refs/heads/token-fix\n\tremote = origin\n'],
  ['.git/config', '[remote "origin"]\n\turl = ssh://git@github.com/a/b.git\n'],
] as const;

test('a configuration asks while it holds a password or token', async () => {
  for (const [file, content] of [...HOLD, ...HOLD_TOO, ...HOLD_ALSO, ...HOLD_NOT]) {
    const root = plantWorkspace([file, 'a.ts']);
    writeFileSync(path.join(root, file), content);
    const expected = HOLD_NOT.every(([, each]) => each !== content) ? 'ask' : 'allow';
    assert.equal(await read(root, file), expected, content);
    for (const line of [`cat ${file}`, 'grep -rn TODO .', 'wc -l .n* .y* p* .git/config a.ts'])
      if (line !== 'wc -l .n* .y* p* .git/config a.ts' || file === '.git/config')
        assert.equal((await decide(root, line)).decision, expected, `${line}: ${content}`);
    appendFileSync(path.join(root, file), '\npassword = x\n');
    assert.equal(await read(root, file), 'ask', 'it is read anew');
  }
});

test('a template of an environment is no secret', async () => {
  for (const file of [
    ...['example.env', 'sample.env', 'template.env', 'dist.env', 'prod.example.env'],
    ...['.env.example', '.env.dist', '.env.prod.example'],
  ]) {
    const root = plantWorkspace([`sub/${file}`, 'a.ts']);
    assert.equal(await read(root, `sub/${file}`), 'allow', file);
    for (const line of [`cat sub/${file}`, 'grep -rn TODO .'])
      assert.equal((await decide(root, line)).decision, 'allow', `${line}: ${file}`);
  }
});

test('what cannot be read may hold one', () => {
  const root = plantWorkspace([]);
  mkdirSync(path.join(root, '.npmrc'));
  assert.ok(holdsCredential(path.join(root, '.npmrc')));
  assert.ok(holdsCredential(path.join(root, 'none')));
  writeFileSync(path.join(root, 'large'), ' '.repeat(2_000_000));
  assert.ok(holdsCredential(path.join(root, 'large')));
});

test('a long line of a configuration is looked through in a moment', async () => {
  const root = plantWorkspace([]);
  for (const text of ['token', 'token=', '#token=', '#token:x ', '=', '://', '"', ' #'].map(
    (each) => each.repeat(1_000_000 / each.length),
  )) {
    const file = path.join(root, '.npmrc');
    writeFileSync(file, `${text}\n`);
    const used = await cpuTime(() => holdsCredential(file));
    assert.ok(used < 2_000, `${text.slice(0, 10)}: ${used} ms`);
  }
});

test('a tracked secret is among those that git may print', async () => {
  const names = [...SECRETS.filter((file) => !file.startsWith('.git/')), '.npmrc', '.yarnrc.yml'];
  const root = plantWorkspace(names);
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', root, ...args]);
  git('init', '-q');
  git('add', '-A', '-f');
  const own = path.join(root, '.git');
  const found = listTrackedSecrets({ root, own, common: own }).map(({ name }) => name);
  assert.deepEqual(found.sort(), names.sort());
  const tree = plantWorkspace(['a.ts', '.npmrc']);
  execFileSync('git', ['-C', tree, 'init', '-q']);
  execFileSync('git', ['-C', tree, 'add', '-A', '-f']);
  assert.equal((await decide(tree, 'git grep TODO')).decision, 'allow');
  writeFileSync(path.join(tree, '.npmrc'), '_authToken=x\n');
  assert.equal((await decide(tree, 'git grep TODO')).decision, 'ask');
});

test('commands that print a token or a password ask, even if a wider rule allows them', async () => {
  const rules = [...DEFAULT_RULES, ...rulesOf('bash gh * allow', 'bash kubectl * allow')];
  const ask = async (line: string) => (await evaluate(bashCall(line), policyOf(rules))).decision;
  for (const line of [
    ...['gh auth token', 'gh --hostname x auth token', 'gh auth status -t'],
    ...[
      'gh auth status --show-token=true',
      'kubectl config view --raw',
      'kubectl config view --raw=true',
    ],
  ])
    assert.equal(await ask(line), 'ask', line);
  for (const line of ['gh auth status', 'kubectl config view', 'gh pr list'])
    assert.equal(await ask(line), 'allow', line);
});
