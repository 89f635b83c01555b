import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, evaluateBash, policyOf, rulesOf } from '../../ask.ts';

/** Every line is decided so under the rules. */
function check(
  title: string,
  rules: readonly string[],
  lines: readonly string[],
  expected: 'allow' | 'ask' | 'deny',
): void {
  test(title, async () => {
    const wrong: string[] = [];
    for (const line of lines) {
      const { decision } = await evaluateBash(line, rules);
      if (decision !== expected) wrong.push(`${line} is ${decision}`);
    }
    assert.deepEqual(wrong, []);
  });
}

check(
  'what is unpacked may be a protected file, so no wildcard covers it (C8, C11)',
  ['bash * allow'],
  [
    'tar xf a.tar',
    'tar -xf a.tar',
    'tar -xzvf a.tgz',
    'tar xzf a.tgz',
    'tar --extract --file=a.tar',
    'tar --ex -f a.tar',
    'tar --get -f a.tar',
    'tar -f a.tar -x',
    'tar -vxf a.tar',
    'tar xf a.tar src/a',
    'tar xf a.tar -C .',
    'tar xf a.tar -C ./',
    'tar xf a.tar -C ..',
    'tar xf a.tar -C out/..',
    'tar xf a.tar -C /tmp/x',
    'tar xf a.tar -C ~',
    'tar xf a.tar -C $x',
    'tar xf -C out',
    'tar xbf 20 -C out',
    'tar -x -f -C out',
    'tar xf a.tar --exclude -C out',
    'tar xf a.tar -C out -C ..',
    'tar xf a.tar -C out --absolute-names',
    'tar xf a.tar -C out -P',
    'tar xPf a.tar -C out',
    'tar xf a.tar -C out --transform s,a,../b,',
    'tar xf a.tar -C out --xform s,a,../b,',
    'tar --directory=.. -xf a.tar',
    'cd .. && tar xf a.tar -C w',
    'cd $x && tar xf a.tar',
    'bsdtar xf a.tar',
    'gtar xf a.tar',
    'unzip a.zip',
    'unzip -o a.zip',
    'unzip a.zip -d .',
    'unzip -qo a.zip -d ..',
    'unzip a.zip x/y',
    'unzip -P -d out a.zip',
    '7z x a.7z',
    '7z e a.7z',
    '7z x a.7z -o.',
    '7z x a.7z -o..',
    '7z x -y a.7z',
    '7z -y x a.7z',
    '7z x -- -oout',
    'tar xf O.tar',
    'tar -xf Own.tar',
    'tar xf a.tar O',
    'tar xf a.tar --exclude O',
    'tar xf a.tar --exclude --to-stdout',
    'tar xf a.tar -- -O',
    'bsdtar xf mO.tar',
    '7z X a.7z',
    '7z E a.7z',
    '7zz x a.7z',
    'unrar X a.rar',
    'cpio --e',
    'cpio -p --pas out',
    'bsdcpio -i',
    'bsdunzip a.zip',
    'ar --output=out x a.a',
    'ar --target elf64 xo a.a',
    'gcc-ar x a.a',
    'llvm-ar x a.a',
    'jar -f a.jar -x',
    'jar --file a.jar -xv',
    'lha x a.lzh',
    'lha xw=.. a.lzh',
    'arj e a.arj',
    'patool extract a.zip',
    'atool -x a.zip',
    'ouch d a.zip',
    'asar extract a.asar out',
    'gh release -R a/b download v1',
    'gh -R a/b release download',
    'gh run -R a/b download 1',
    'gh release download v1 -p -Ox',
    'cpio -i',
    'cpio -idm',
    'cpio -vid',
    'cpio --extract',
    'cat a | cpio -i',
    'unrar x a.rar',
    'ar x a.a',
    'jar xf a.jar',
    'jar -xf a.jar',
    'jar --extract -f a.jar',
    'dpkg-deb -x a.deb .',
    'dpkg -x a.deb out',
    'patch',
    'patch -p1',
    'patch -p1 -i x',
    'patch -p0 -i x',
    'patch -d . -p1 -i x',
    'patch -i -d out',
    'unar a.rar',
    'dtrx a.zip',
    'git apply x.patch',
    'git apply -p2 x.patch',
    'git apply --check --apply x.patch',
    'git apply --check --cached --index x',
    'git apply -3 x',
    'git am x.patch',
    'aws s3 sync s3://x .',
    'aws s3 cp --recursive s3://x ./',
    'gsutil rsync -r gs://x .',
    'gsutil -m cp -r gs://x .',
    'aws s3 sync s3://x . --exclude foo',
    'aws s3 sync --exclude foo s3://x .',
    'aws s3 sync s3://x --exclude foo .',
    'aws --profile p s3 sync s3://x .',
    'rclone --config c sync r:x .',
    'rclone copy r:x .',
    'gh release download v1',
    'gh run download 1 -n dist',
    'aws s3 cp s3://x/.envrc .',
    'gunzip .envrc.gz',
    'xz -dk AGENTS.md.xz',
    'sudo tar xf a.tar',
    'env tar xf a.tar',
    'curl x | tar xz',
    'curl x | tar -xz',
    "sh -c 'tar xf a.tar'",
    '/usr/bin/tar xf a.tar',
  ],
  'ask',
);

check(
  'looking into an archive, packing one and unpacking into a folder below stay under a wildcard',
  ['bash * allow'],
  [
    'tar tf a.tar',
    'tar -tvf a.tar',
    'tar cf a.tar src',
    'tar czf a.tgz src',
    'tar -czf x.tgz src',
    'tar cf x.tar x',
    'tar -cf xx.tar x-x',
    'tar xf a.tar -C out',
    'tar -xzf a.tgz -C out',
    'tar -C out -xzf a.tgz',
    'tar xzf a.tgz -C ./out/a',
    'tar --directory=out -xf a.tar',
    'tar xf a.tar --directory=out',
    'tar xf a.tar -C out --strip-components=1',
    'tar -xOf a.tar f',
    'tar xOf a.tar f',
    'tar -xf a.tar --to-stdout',
    'tar xzf a.tgz -O f',
    'tar -x -O -f a.tar',
    'tar cf O.tar src',
    '7z L a.7z',
    'ar --target=elf64 t a.a',
    'lha l a.lzh',
    'gh release download v1 -O dist.tgz',
    'gh release list -R a/download',
    'mkdir out && cd out && tar xf ../a.tar',
    'cd out && unzip ../a.zip',
    'unzip -l a.zip',
    'unzip -p a.zip f',
    'unzip -t a.zip',
    'unzip -Z a.zip',
    'unzip a.zip -d out',
    'unzip -qo a.zip -d out',
    '7z l a.7z',
    '7z a a.7z src',
    '7z x a.7z -oout',
    '7z x -oout a.7z',
    '7z t a.7z',
    'ar t a.a',
    'ar rcs a.a b.o',
    'jar cf a.jar x',
    'jar tf a.jar',
    'dpkg -l',
    'dpkg -L x',
    'dpkg-deb -c a.deb',
    'patch --version',
    'patch -d out -p1 -i x',
    'git apply --stat x.patch',
    'git apply --check x.patch',
    'git apply --numstat x.patch',
    'git stash pop',
    'aws s3 sync s3://x out',
    'aws s3 sync . s3://x',
    'aws s3 cp s3://x/a.txt .',
    'aws s3 sync --delete dist s3://x',
    'aws s3 sync s3://x s3://y',
    'aws s3 ls s3://x',
    'rclone copy . r:x',
    'rclone copy r:x q:x',
    'rclone copy r:x out',
    'gh release download v1 -D out',
    'gh release list',
    'gunzip a.gz',
    'gzip -d a.gz',
    'zip -r a.zip src',
  ],
  'allow',
);

const SPELLED = [
  'bash tar xf a.tar allow',
  'bash unzip a.zip allow',
  'bash git apply x.patch allow',
  'bash patch -p1 allow',
];
check(
  'a rule that spells the unpacking out allows it',
  SPELLED,
  ['tar xf a.tar', 'unzip a.zip', 'git apply x.patch', 'patch -p1'],
  'allow',
);
check(
  'and no other',
  SPELLED,
  ['tar xf b.tar', 'unzip b.zip', 'git apply y.patch', 'patch -p2'],
  'ask',
);

check(
  'a rule about a file asks where its folder is taken in by a program that may leave it out',
  ['bash * allow', 'fs.read **/.env deny'],
  [
    'docker build .',
    'docker build -t x .',
    'docker buildx build .',
    'docker compose build',
    'npm pack',
    'npm publish',
    'pnpm publish',
    'yarn pack',
    'cargo package',
    'rclone copy . r:x',
    'aws s3 sync . s3://x',
    '7z a x.7z .',
    '7z a x.7z',
    'pax -w .',
    'gcloud run deploy --source .',
    'vercel',
    'repomix',
    'cd sub && npm pack',
  ],
  'ask',
);
check(
  'and not where another folder is, or none',
  ['bash * allow', 'fs.read secrets/** deny'],
  [
    'docker build src',
    'docker ps',
    'npm run build',
    'npm install',
    'aws s3 ls',
    'aws s3 sync src s3://x',
    'cargo build',
    'rclone ls r:x',
  ],
  'allow',
);
check(
  'a rule about a file asks where what is unpacked or moved may be it',
  ['bash * allow', 'fs.write out/locked.ts deny'],
  [
    'tar xf a.tar -C out',
    'unzip a.zip -d out',
    '7z x a.7z -oout',
    'patch -d out -p1 -i x',
    'mv out x',
    'mv x out',
  ],
  'ask',
);
check(
  'and not elsewhere',
  ['bash * allow', 'fs.write out/locked.ts deny'],
  ['tar xf a.tar -C lib', 'mv lib x', 'mv a.ts b.ts', 'tar cf a.tar lib'],
  'allow',
);

check(
  'wget writes a file that its URL names',
  ['bash * allow'],
  [
    'wget https://x.example/.envrc',
    'wget -q https://x.example/a/AGENTS.md',
    'wget https://x.example/a/.npmrc?x=1#y',
    'wget https://x.example/%2eenvrc',
    'cd .vscode && wget https://x.example/a.json',
  ],
  'ask',
);
check(
  'and no protected one from most',
  ['bash * allow'],
  ['wget https://x.example/a.tgz', 'wget x.example', 'wget https://x.example/.git/'],
  'allow',
);
check(
  'a deny of that file holds',
  ['bash * allow', 'fs.write a.tgz deny'],
  ['wget https://x.example/a.tgz'],
  'deny',
);

test('the shipped rules do not ask about what a folder may hold once the command is allowed', async () => {
  const rules = [...DEFAULT_RULES, ...rulesOf('bash * allow')];
  const asked: string[] = [];
  for (const line of [
    'git add .',
    'git add -A',
    'git commit -am x',
    'git stash',
    'git diff',
    'git pull',
    'npm pack',
    'docker build .',
    'git checkout main',
  ])
    if ((await evaluate(bashCall(line), policyOf(rules))).decision !== 'allow') asked.push(line);
  assert.deepEqual(asked, []);
});

test('letters that unzip cancels do not keep it from unpacking', async () => {
  for (const line of ['unzip -l --l a.zip', 'unzip -l-l a.zip', 'unzip -p -- --p a.zip']) {
    const { decision } = await evaluateBash(line, ['bash * allow']);
    assert.notEqual(decision, 'allow', line);
  }
  for (const line of ['unzip -l a.zip', 'unzip -l a-b.zip', 'unzip -p a.zip -x b'])
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'allow', line);
});

test('what a compiler passes on may be a protected file', async () => {
  for (const line of [
    'gcc -Wl,-o,.git/hooks/x a.c',
    'gcc --output=.git/hooks/x a.c',
    'gcc -MMD -MF .git/hooks/x a.c',
    'gcc -Xlinker -o -Xlinker .git/hooks/x a.c',
    'gcc -fdump-tree-all=.git/hooks/x a.c',
    'clang -Wa,-o,.git/hooks/x a.c',
    'as --MD .git/hooks/x a.s',
    'gofmt -cpuprofile .git/hooks/x a.go',
    'strace -fo.git/hooks/x ls',
    'command time -ao.git/hooks/x ls',
  ])
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'ask', line);
  for (const line of [
    'gcc -Wl,-rpath,/usr/lib a.c',
    'gcc -MMD -MP -Wall -c src/a.c',
    'strace -f ls',
  ])
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'allow', line);
});

test('a deny holds for what archives take in, however that is written', async () => {
  const rules = ['bash * allow', '* **/.env deny'];
  for (const line of [
    ...['tar --append -f a.tar sub', 'tar --up -f a.tar sub', 'bsdtar --update -f a.tar sub'],
    ...["zip -R x '*.env'", "zip -9qR x '.e*'", "zip --recurse-patterns x '*'", 'zip -f x'],
    ...['jar -c -f x sub', 'jar --create --file x sub', 'jar -uf x sub', '7z a x -ir!.env'],
    ...["7z a -r x '*.env'", 'rar a -r x', 'ditto sub out', 'helm package sub', 'mkisofs sub'],
    ...['kubectl create secret generic x --from-file=sub', 'oc create cm x --from-file=k=sub'],
  ])
    assert.notEqual((await evaluateBash(line, rules)).decision, 'allow', line);
  for (const line of [
    ...['tar --append -f a.tar conf.d', 'zip x conf.d/a.py', 'zip -sf x', 'jar -tf x.jar'],
    ...['jar -c -f x conf.d', '7z l x', 'ditto conf.d out', 'kubectl get pods'],
    ...['kubectl create configmap x --from-file=conf.d', 'zip -r x conf.d'],
  ])
    assert.equal((await evaluateBash(line, rules)).decision, 'allow', line);
});
