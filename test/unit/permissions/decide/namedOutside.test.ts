import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { PROGRAMS } from '../../../../src/permissions/shell/programs/tables/programTable.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const root = plantWorkspace(['a.txt', 'src/b.txt', 'x.zip']);
const folders = { workspace: [root], adHoc: [], cwd: root };

/** The decision under the shipped rules and these of the user. */
function decide(command: string, ...rules: readonly string[]) {
  const all = [...DEFAULT_RULES, ...rulesOf(...rules)];
  return evaluate(bashCall(command), policyOf(all, { folders }));
}

/** A rule, and commands with an option or an operand that leads out of the workspace: `@` is a path there. */
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  'gh pr create *': ['-F @', '-F@', '--body-file=@', '--body-file @', '-t x -F @', '-T @'],
  'gh issue comment *': ['1 -F @'],
  'gh release upload *': ['v1 @', 'v1 a.txt @', "v1 '@#label'"],
  'gh release create *': ['v1 -F @', 'v1 --notes-file=@', 'v1 @'],
  'gh gist create *': ['@', '-d x @'],
  'gh api *': ['user --input @', 'user -F a=@@', 'user --field=a=@@'],
  'gh secret set *': ['X -f @'],
  'docker compose up *': ['-f @', '--file=@'],
  'docker build *': [
    '-f @ .',
    '--file=@ .',
    '@',
    '--secret id=x,src=@ .',
    '-o @ .',
    '--iidfile @ .',
  ],
  'dotnet test *': [
    '-s @',
    '--settings @',
    '--settings:@',
    '--results-directory @',
    '@',
    '@/x.csproj',
  ],
  'dotnet build *': ['-p:CustomTargets=@', '/p:X=@', '-property:OutDir=@', '-o @', '@'],
  'go test *': ['-modfile @', '-modfile=@', '-overlay=@', '-exec=@', '@', '-args @'],
  'gradle *': [
    '-p @',
    '-p@',
    '-I @',
    '--init-script=@',
    '--project-dir=@',
    '--project-cache-dir @',
  ],
  './gradlew *': ['-p @', '-I @', '--init-script=@'],
  'mvn *': ['-f @ test', '-f@ test', '-s @ test', '--settings=@ test', '-t @ test', '-l @ test'],
  './mvnw *': ['-f @ test', '-s @ test', '-Dmaven.repo.local=@ test'],
  'tsc *': ['-p @', '--project=@', '@', '--typeRoots @', '--rootDir @', '--generateCpuProfile @'],
  'cmake *': ['-B @', '-B@', '-S @', '-S@ -B b', '-P @', '@', '-C @', '--toolchain @ .', '-DX=@ .'],
  'zip *': [
    '-O @ a.zip src',
    '-O@ a.zip src',
    '--output-file=@ a.zip src',
    '@ src/b.txt',
    'x.zip @',
  ],
  'vitest *': ['--outputFile @', '--outputFile=@', '--outputFile.junit=@', '--config @', '-c @'],
  'pytest *': ['@', '@/test_x.py::test_a', '-c @', '--rootdir=@', '-p @', '--json-report-file=@'],
  'python3 -m pytest *': ['@', '-c @', '--rootdir @'],
  'python3 -B -m pytest *': ['-p @', '-c x'],
  'python3 -mpytest *': ['-p x', '@'],
  'eslint *': ['-c @', '@', '--ignore-path @ .', '--parser-options=project:@ .'],
  'jest *': ['-c @', '--runTestsByPath @', '--rootDir=@'],
  'make *': ['-C @', '-C@', '-f @', '-f@', '-I @'],
  'ninja *': ['-C @', '-C@', '-vC @', '-f @'],
  'bazel *': ['--bazelrc=@ build x', '--output_base=@ build x', 'build --package_path=@ x'],
  'cargo *': ['--config @ build', 'build --manifest-path @', 'install --path @', 'vendor @'],
  'poetry *': ['-C @ install', '-P @ install', 'add @', 'build -o @'],
  'uv *': ['sync --directory @', 'sync --project @', 'pip install @', 'pip install -r @', 'venv @'],
  'terraform *': [
    '-chdir=@ plan',
    'plan -out=@',
    'show @',
    'output -state=@',
    'init -backend-config=@',
  ],
  'ansible-playbook *': [
    '@',
    '@/x.yml',
    '-i @ x.yml',
    '-e @@ x.yml',
    '--private-key @ x.yml',
    '-l @@ x.yml',
  ],
  'kubectl apply *': ['-f @', '-f@', '--filename=@', '-k @', '--kubeconfig @ -f x'],
  'kubectl create *': ['configmap x --from-file=@', 'configmap x --from-file=k=@', '-f @'],
  'helm *': [
    'install x @',
    'install x c -f @',
    'install x c --values=@',
    'install x c --set-file a=@',
  ],
  'aws *': [
    's3 cp @ s3://b',
    '--cli-input-json file://@ x',
    'lambda update-function-code --zip-file fileb://@',
  ],
  'curl *': [
    '-T @ http://127.0.0.1/',
    '-d @@ http://127.0.0.1/',
    '-d@@ http://127.0.0.1/',
    '-F file=@@ http://127.0.0.1/',
    '-Ffile=@@ http://127.0.0.1/',
    '-K @ http://127.0.0.1/',
    '--proxy-cert @ http://127.0.0.1/',
    '--capath @ http://127.0.0.1/',
  ],
  'node *': ['@', '@/x.js'],
  'frob *': ['@', '-x @', '-x@', '--x=@', '--x=a,@', 'x=@', '@@', '-- @', "'@ y'"],
};

const PLACES = ['/outside', '../x', '~/x'];

for (const [rule, forms] of Object.entries(OUTSIDE)) {
  test(`bash(${rule}) covers nothing outside the workspace`, async () => {
    for (const [index, form] of forms.entries()) {
      const place = PLACES[index % 2] ?? '';
      // `@@` is a literal at sign before the path.
      const words = form.replace(/@(@?)/, (_, second) => (second === '' ? place : `@${place}`));
      const command = rule.replace('*', words);
      const { decision, reason } = await decide(command, `bash ${rule} allow`);
      assert.equal(decision, 'ask', `${command}: ${reason}`);
    }
  });
}

test('what a program is given outside the workspace asks, for every program that may use it', async () => {
  const forms = ['@', '-x @', '--x=@', 'x @', 'a=@'];
  const names = Object.keys(PROGRAMS).filter((name) => !name.includes(' '));
  const wrong: string[] = [];
  for (const [index, name] of [...names, 'frob'].entries()) {
    const { operands, inert } = PROGRAMS[name] ?? {};
    // A program with these uses its operands as the table says.
    if (operands !== undefined || inert === true) continue;
    const form = forms[index % forms.length] ?? '@';
    const command = `${name} ${form.replace('@', PLACES[index % 3] ?? '')}`;
    if (/ --x=~/.test(command)) continue;
    const { decision } = await decide(command, `bash ${name} * allow`);
    if (decision === 'allow') wrong.push(command);
  }
  assert.deepEqual(wrong, []);
});

test('the reason says that the program may use the file, and a rule for the path is offered', async () => {
  const asked = await decide('frob ../kept', 'bash frob * allow');
  assert.equal(asked.decision, 'ask');
  assert.equal(
    asked.reason,
    'The command may read or write `../kept`, which is outside the workspace.',
  );
  const [narrow] = asked.candidates();
  assert.deepEqual(
    narrow?.rules.map(({ permission, action }) => `${permission} ${action}`),
    ['fs.read allow'],
  );
  const path = narrow?.rules[0]?.pattern ?? '';
  const rules = ['bash frob * allow', `fs.read ${path} allow`];
  assert.equal((await decide('frob ../kept', ...rules)).decision, 'allow');
  assert.equal((await decide('frob ../other', ...rules)).decision, 'ask');
});

test('without the shipped ask for what is outside, the rule for the command covers it', async () => {
  const rules = ['bash frob * allow', 'fs.read ** allow'];
  assert.equal((await decide('frob /elsewhere/kept', ...rules)).decision, 'allow');
});

// These words begin like a path and name no file of this machine, or lie in the workspace.
for (const [rule, command] of [
  ['frob *', 'frob src/../src/b.txt'],
  ['frob *', `frob ${root}/a.txt --x=${root}/src`],
  ['frob *', 'frob /dev/null'],
  ['gh *', 'gh api /user'],
  ['gh *', 'gh api /repos/x/y/pulls --jq ".[].title"'],
  ['gh *', 'gh pr create --title x --body "reads /etc/hosts"'],
  ['kubectl *', 'kubectl get --raw /healthz'],
  ['kubectl *', 'kubectl get --raw=/apis/x'],
  ['kubectl *', 'kubectl cp pod:/tmp/x ./x'],
  ['docker *', 'docker cp web:/app/log .'],
  ['aws *', 'aws logs tail /aws/lambda/x'],
  ['aws *', 'aws ssm get-parameter --name /prod/x'],
  ['dotnet *', 'dotnet build /p:Configuration=Release'],
  ['dotnet *', 'dotnet build -p:Configuration=Release -c Release'],
  ['bazel *', 'bazel build //x:all //y'],
  ['vite *', 'vite --base=/app/'],
  ['npm *', 'npm run dev -- --base /app/'],
  ['npm *', 'npm test -- --grep /foo'],
  ['vitest *', 'vitest run -t /x/ --coverage'],
  ['jest *', 'jest -t /x/ --coverage'],
  ['go *', 'go test ./... -run /x'],
  ['timeout * && /usr/bin/frob *', 'timeout 5 /usr/bin/frob x'],
  ['npx * && tsc *', 'npx -y tsc -p tsconfig.json'],
  ['export *', 'export X=/usr/x'],
] as const) {
  test(`bash(${rule}) covers ${command}`, async () => {
    const rules = rule.split(' && ').map((each) => `bash ${each} allow`);
    const { decision, reason } = await decide(command, ...rules);
    assert.equal(decision, 'allow', reason);
  });
}

test('what looks like a route of another program is a file', async () => {
  for (const command of [
    'frob cp x:/etc/passwd',
    'frob --base /etc/passwd',
    'frob api /etc/passwd',
    'aws --profile logs s3api put-object --body /etc/passwd',
    'gh release upload api /etc/passwd',
  ]) {
    const { decision } = await decide(command, `bash ${command.split(' ')[0]} * allow`);
    assert.equal(decision, 'ask', command);
  }
  const rules = ['bash env-cmd * allow', 'bash frob * allow'];
  const own = ['fs.read {workspace}/x.env allow', 'fs.write {workspace}/x.env allow'];
  assert.equal((await decide('env-cmd ../x.env frob', ...rules)).decision, 'ask');
  assert.equal((await decide('env-cmd x.env frob', ...rules, ...own)).decision, 'allow');
});

test('options of Windows are no paths', async () => {
  const place = { workspace: ['C:/w'], adHoc: [], cwd: 'C:/w' };
  const windows = { folders: place, platform: 'win32' } as const;
  const rules = [...DEFAULT_RULES, ...rulesOf('bash frob * allow')];
  const decideThere = async (command: string) =>
    (await evaluate(bashCall(command), policyOf(rules, windows))).decision;
  for (const command of ['frob /q', 'frob /out:x'])
    assert.equal(await decideThere(command), 'allow', command);
  assert.equal(await decideThere('frob ../x'), 'ask');
});

test('a program that a launcher starts asks about the same words', async () => {
  const rules = ['bash timeout * allow', 'bash frob * allow'];
  assert.equal((await decide('timeout 5 frob ../kept', ...rules)).decision, 'ask');
  assert.equal((await decide('timeout 5 frob a.txt', ...rules)).decision, 'allow');
});
