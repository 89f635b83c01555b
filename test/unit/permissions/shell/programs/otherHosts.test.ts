import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { PROGRAMS } from '../../../../../src/permissions/shell/programs/tables/programTable.ts';
import { bashCall, evaluate, evaluateBash, policyOf, rulesOf } from '../../ask.ts';

async function decide(command: string, ...patterns: readonly string[]) {
  const rules = patterns.map((each) => `bash ${each} allow`);
  return evaluate(bashCall(command), policyOf([...DEFAULT_RULES, ...rulesOf(...rules)]));
}

/** A rule, and commands that it doesn't cover because they name another host. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'git push *': [
    'git push https://other.example/x.git',
    'git push https://other.example/x.git main',
    'git push git@other.example:x/y',
    'git push -f git@other.example:x/y main',
    'git push other.example:x.git',
    'git push -u other.example:x.git main',
    'git push -o ci.skip other.example:x.git main',
    'git push [::2]:x.git main',
    'git push --repo=https://other.example/x.git',
    'git push --repo https://other.example/x.git main',
    'git push --rep=git@other.example:x',
    'git push --repo=other.example:x',
    'git push --repo other.example:x',
    // What isn't an option is the repository all the same.
    'git push --repo=origin main:main',
    'git push ssh://other.example/x',
    'git push -- https://other.example/x',
    'git push file:///srv/x.git',
    'git push ../x.git',
    'git push ..',
    'git push src/repo main',
    'git push --receive-pack=./x origin',
    'git push --exec ./x origin',
    'git push origin main && git push https://other.example/x.git',
  ],
  'git push * main': ['git push https://other.example/x.git main'],
  'git push https://github.com*': ['git push https://github.com.other.example/x'],
  'git -C src push *': ['git -C src push https://other.example/x'],
  'git fetch *': [
    'git fetch https://other.example/x.git',
    'git fetch --depth 1 other.example:x main',
    'git fetch -j 4 other.example:x main',
    'git fetch --multiple origin other.example:x',
    'git fetch ../x main',
    'git fetch x.bundle main',
  ],
  'git pull *': [
    'git pull https://other.example/x.git',
    'git pull --rebase https://other.example/x.git main',
    'git pull -s ours other.example:x main',
  ],
  'git ls-remote *': [
    'git ls-remote https://other.example/x.git',
    'git ls-remote --heads other.example:x',
    'git ls-remote --sort x other.example:x',
  ],
  'git clone *': [
    'git clone https://other.example/x.git',
    'git clone --depth 1 git@other.example:x',
    'git clone -b main other.example:x',
    'git clone ../x',
  ],
  'git remote *': [
    'git remote add up https://other.example/x.git',
    'git remote add -f -t main up other.example:x',
    'git remote -v add up ../x',
    'git remote set-url origin https://other.example/x',
    'git remote set-url --push origin other.example:x',
    'git remote show https://other.example/x',
    'git remote show other.example:x',
    'git remote prune other.example:x',
    'git remote update origin other.example:x',
  ],
  'git lfs *': ['git lfs push https://other.example/x main', 'git lfs pull other.example:x'],
  'npm publish *': [
    'npm publish --registry https://other.example',
    'npm publish --registry=https://other.example',
    'npm publish --@scope:registry=https://other.example',
    'npm publish https://other.example/x.tgz',
  ],
  'pnpm publish *': ['pnpm publish --registry https://other.example'],
  'yarn publish *': ['yarn publish --registry=https://other.example'],
  'bun publish *': ['bun publish --registry other.example'],
  'docker push *': ['docker push other.example/x', 'docker push other:5000/x'],
  'docker image push *': ['docker image push other.example/x'],
  'docker login *': ['docker login other.example', 'docker login -u x other.example:5000'],
  'docker buildx build *': ['docker buildx build --push -t other.example/x .'],
  'podman push *': ['podman push x docker://other.example/x'],
  'twine upload *': [
    'twine upload --repository-url https://other.example dist/x',
    'twine upload --repository-u=https://other.example dist/x',
    'twine upload -r other dist/x',
    'twine upload --config-file x dist/x',
  ],
  'cargo publish *': [
    'cargo publish --index sparse+https://other.example/',
    'cargo publish --index=https://other.example',
    'cargo publish --registry other',
  ],
  'scp *': ['scp a.txt other.example:x', 'scp a.txt u@other.example:x', 'scp scp://other/x .'],
  'scp * host:x': ['scp a.txt other:y host:x'],
  'rsync *': [
    'rsync -a src other.example:x',
    'rsync -a src other::x',
    'rsync -a src rsync://other.example/x',
  ],
  'sftp *': ['sftp other.example', 'sftp u@other.example:x'],
  'ssh host * && ls *': ['ssh -J other.example host ls'],
  'curl *': [
    'curl -x http://other.example http://127.0.0.1/',
    'curl -sx other.example http://127.0.0.1/',
    'curl --proxy=other.example http://127.0.0.1/',
    'curl --preproxy other.example http://127.0.0.1/',
    'curl --socks5-hostname other.example http://127.0.0.1/',
    'curl --doh-url https://other.example http://127.0.0.1/',
  ],
  'pip install *': [
    'pip install --index-url https://other.example x',
    'pip install -ihttps://other.example x',
    'pip install --extra-index-url=https://other.example x',
    'pip install x@https://other.example/x.whl',
  ],
  'python3 -m pip install *': ['python3 -m pip install --index-url https://other.example x'],
  'gem push *': ['gem push --host https://other.example x', 'gem push x.gem --host other.example'],
  'gem install *': ['gem install --source other.example x', 'gem install -s https://other x'],
  'poetry publish *': ['poetry publish -r other', 'poetry publish --repository=other'],
  'uv publish *': ['uv publish --publish-url https://other.example'],
  'dotnet nuget push *': [
    'dotnet nuget push x.nupkg -s https://other.example',
    'dotnet nuget push x.nupkg --source other',
    'dotnet nuget push x.nupkg --source:other',
  ],
  'helm push *': ['helm push x.tgz oci://other.example/x'],
  'kubectl apply *': [
    'kubectl apply -f https://other.example/x.yaml',
    'kubectl apply -f f.yaml --context other',
  ],
  'aws s3 cp *': [
    'aws s3 cp a.txt b --endpoint-url https://other.example',
    'aws s3 cp a.txt b --endpoint-url other.example',
    'aws s3 cp a.txt s3://other/b',
  ],
  'psql *': ['psql -h other.example x', 'psql postgres://u@other.example/x'],
  'mvn deploy *': ['mvn deploy -DaltDeploymentRepository=x::https://other.example'],
  'gh issue *': ['gh issue create -R other/x --title y', 'gh issue comment 1 --repo=other/x -b y'],
  'gh pr *': ['gh pr list -R other.example/x/y'],
  'docker buildx *': ['docker buildx build -o type=image,name=other.example/x,push=true .'],
  'kustomize *': ['kustomize build github.com/x/y'],
  'nix run *': ['nix run github:other/x'],
  'frob *': [
    'frob https://other.example',
    'frob --to=ftp://other.example',
    'frob u@other.example:x',
    'frob u@other.example:22',
    'frob https:other.example',
    'frob "https://other.example x"',
    'frob http://localhost@other.example',
    "frob 'http://localhost#@other.example'",
    'frob http://localhost,http://other.example',
  ],
  'gh *': ['gh pr view https://other.example/x/pull/1', 'gh api --hostname other.example x'],
};

for (const [rule, commands] of Object.entries(OTHERS)) {
  for (const command of commands)
    test(`bash(${rule}) doesn't cover ${command}`, async () => {
      const { decision, reason } = await decide(command, ...rule.split(' && '));
      assert.equal(decision, 'ask', reason);
    });
}

/** A rule, and commands that it covers: the host is their own, this machine, or is in the rule. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  'git push *': [
    'git push',
    'git push -u origin feature/x:feature/x',
    'git push origin main:main',
    'git push --no-verify origin HEAD:refs/heads/x',
    'git push -o ci.skip origin main',
    'git push --repo=origin',
    'git push . HEAD:x',
  ],
  'git push https://github.com/*': ['git push https://github.com/me/x main'],
  'git push git@github.com:*': ['git push git@github.com:me/x main'],
  'git clone https://github.com/*': ['git clone https://github.com/x/y ./y'],
  'git fetch *': [
    'git fetch --all --prune',
    'git fetch --depth 1 origin main:x',
    'git fetch . a:b',
  ],
  'git pull *': ['git pull --rebase origin main', 'git pull -s ours origin a:b'],
  'git remote *': ['git remote -v', 'git remote show origin', 'git remote rename a b'],
  'git remote add up https://github.com/*': ['git remote add up https://github.com/x/y'],
  'git commit *': ["git commit -m 'see https://other.example/x and ../x'"],
  'npm publish *': ['npm publish --access public'],
  'docker push *': [
    'docker push me/x:1.0',
    'docker push docker.io/me/x',
    'docker push localhost:5000/x',
  ],
  'docker push ghcr.io/*': ['docker push ghcr.io/me/x:1'],
  'docker pull *': ['docker pull node:22'],
  'scp a.txt host:*': ['scp a.txt host:x/y'],
  'rsync *': ['rsync -a conf.d out', 'rsync -a conf.d localhost:x'],
  'curl *': ['curl https://a.example/x', 'curl -H "Origin: https://x" https://y.example'],
  'gh *': [
    'gh pr view https://github.com/x/y/pull/1',
    'gh pr list -R x/y',
    'gh pr create --title x --body "see https://other.example/a"',
  ],
  'psql *': [
    'psql -h localhost x',
    'psql -Uheinz x',
    'psql --host=localhost x',
    'psql -hlocalhost x',
    'psql postgres://u@127.0.0.1:5432/x',
  ],
  'frob *': ['frob http://localhost:3000/x', "frob 'http://[::1]:3000/x'", 'frob x@npm:y'],
  'twine upload *': ['twine upload dist/x'],
  './gradlew *': ['./gradlew -Pgroup=x -DskipTests build'],
  'ansible-playbook *': ['ansible-playbook -tdocker --check x.yml'],
  'node *': ['node --test'],
  'cargo publish *': ['cargo publish -p x'],
  'gem install *': ['gem install x'],
  'gem install --source other.example *': ['gem install --source other.example x'],
};

for (const [rule, commands] of Object.entries(OWN)) {
  for (const command of commands)
    test(`bash(${rule}) covers ${command}`, async () => {
      const { decision, reason } = await decide(command, rule);
      assert.equal(decision, 'allow', reason);
    });
}

test('bash(*) covers every host, since it covers programs that contact any', async () => {
  for (const command of ['git fetch https://other.example/x', 'frob https://other.example'])
    assert.equal((await evaluateBash(command, ['bash * allow'])).decision, 'allow', command);
});

test('a deny of the host holds however the program is given it, and asks where that is not certain', async () => {
  const rules = ['bash * allow', 'net.fetch other.example deny'];
  for (const [command, expected] of [
    ['git fetch other.example:x', 'deny'],
    ['aws s3 ls --endpoint-url other.example', 'deny'],
    ['docker push other.example/x', 'ask'],
    ['frob u@other.example:x', 'ask'],
  ] as const)
    assert.equal((await evaluateBash(command, rules)).decision, expected, command);
});

test('the reason names the rule and the host that it would have to contain', async () => {
  const { near } = await decide('git ls-remote https://other.example/x', 'git ls-remote *');
  assert.equal(
    near?.()?.reason,
    'The rule `bash git ls-remote *` covers it, except that `https://other.example/x` must be written in the rule.',
  );
});

test('"always" offers no pattern without the host', async () => {
  for (const command of [
    'git ls-remote https://other.example/x',
    'git ls-remote git@other.example:x',
    'docker pull other.example/x',
    'frob --to=https://other.example/x y',
  ]) {
    const { candidates } = await evaluateBash(command);
    assert.ok(candidates.length > 0, command);
    for (const { rules } of candidates)
      for (const { pattern } of rules) assert.match(pattern, /other\.example/, command);
  }
});

/** Programs that are for whatever host their operands name, or contact none. */
const isForAny = ({ inert, hosts, operands }: (typeof PROGRAMS)[string]) =>
  inert === true ||
  hosts === 'all' ||
  hosts === 'first' ||
  (hosts === undefined && operands !== undefined);

test('no wildcard for a program that has hosts of its own covers another, in any form', async () => {
  const forms = ['@', '--x=@', '-x@', 'x --y @', 'x=@', '-Dx.y=@'];
  const names = Object.keys(PROGRAMS).filter((name) => !name.includes(' '));
  const wrong: string[] = [];
  for (const [index, name] of [...names, 'frob', 'terragrunt'].entries()) {
    if (PROGRAMS[name] !== undefined && isForAny(PROGRAMS[name])) continue;
    if (name === 'git') continue;
    const form = forms[index % forms.length] ?? '@';
    const command = `${name} ${form.replace('@', 'https://other.example/x')}`;
    const { decision } = await evaluateBash(command, [`bash ${name} * allow`]);
    if (decision === 'allow') wrong.push(command);
  }
  assert.deepEqual(wrong, []);
});
