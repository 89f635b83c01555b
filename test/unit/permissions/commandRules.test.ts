import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '../../../src/permissions/rules/rule.ts';
import type { Subject } from '../../../src/permissions/rules/subject.ts';
import { bashCall, evaluate, evaluateBash, policyOf, rulesOf } from './ask.ts';
import { checkCalls, PLANTED } from './lines.ts';

// Decisions 4, 5 and 10, C3, C8: what a rule about commands means, and what needs no rule.

const ALL = 'bash * allow';
const MAC = { platform: 'darwin' };
const GIT_BASH = { platform: 'win32', shell: 'bash' };
const DEFAULTS = { defaults: true };

checkCalls('bash', [
  // An allow on a name is none on a path, a deny is one.
  ['git/x', ['bash g* allow'], 'ask'],
  ['./git', ['bash .* allow'], 'ask'],
  ['./git -l', ['bash .* allow'], 'ask'],
  ['./git', ['bash ./g* allow'], 'allow'],
  ['./git', [ALL], 'allow'],
  ['echo a/b', ['bash echo * allow'], 'allow'],
  ['/usr/bin/git push', ['bash git push deny', ALL], 'deny'],
  ['/usr/bin/git push', ['bash git push allow'], 'ask'],
  ['/usr/bin/git push', ['bash /usr/bin/git push allow'], 'allow'],
  // The disk decides about case for programs.
  ['RM x', ['bash rm * deny', ALL], 'deny', MAC],
  ['RM x', ['bash rm * deny', ALL], 'deny', GIT_BASH],
  ['RM x', ['bash rm * deny', ALL], 'allow'],
  ['rm x', ['bash RM * allow'], 'ask', MAC],
  ['/BIN/RM x', ['bash /bin/rm * deny', ALL], 'deny', MAC],
  ['/BIN/RM x', ['bash /bin/rm * deny', ALL], 'deny', GIT_BASH],
  ['/BIN/RM x', ['bash /bin/rm * deny', ALL], 'allow'],
  // Only * is special; the pattern is anchored; a trailing backslash is itself.
  ['ls a.b', ['bash ls a.b allow'], 'allow'],
  ['ls axb', ['bash ls a.b allow'], 'ask'],
  ['ls foo', ['bash ls ? allow'], 'ask'],
  ['ls foo', ['bash LS foo allow'], 'ask'],
  ['ls "*"', ["bash ls '*' allow"], 'allow'],
  ['ls foo', ["bash ls '*' allow"], 'ask'],
  ["ls 'a\\'", ['bash ls a\\ allow'], 'allow'],
  ['ls a', ['bash ls a\\ allow'], 'ask'],
  // What runs a program or writes a file must be spelled out, at its place.
  ['find . -delete', ['bash find * allow'], 'ask'],
  ['find . -delete', ['bash find *-delete allow'], 'allow'],
  ['find . -delete', ['bash find * -delete allow'], 'allow'],
  ['find . -name x -delete', ['bash find * -delete allow'], 'allow'],
  ['find . -delete', ['bash find . -delete allow'], 'allow'],
  // An option that is not known: a deny is looked for behind it, an allow is not.
  ['sudo --frob rm x', ['bash rm * deny', ALL], 'deny'],
  ['sudo --frob rm x', ['bash rm * deny', 'fs.read q deny', ALL], 'deny'],
  ['sudo --frob rm x', ['bash rm * allow'], 'ask'],
  // The shipped allows hold with their options alone.
  ['ls -la', [], 'allow', DEFAULTS],
  ['ls --frobnicate', [], 'ask', DEFAULTS],
  ['ls -- --frobnicate', [], 'allow', DEFAULTS],
  ['cat -', [], 'allow', DEFAULTS],
  ['git branch --sort=-date', [], 'allow', DEFAULTS],
  ['git branch -a', [], 'allow', DEFAULTS],
  ['git branch x', [], 'ask', DEFAULTS],
  ['git branch -a x', [], 'ask', DEFAULTS],
  // What a program that is not known names outside the workspace is no part of a wildcard.
  ['mytool /etc/hosts', ['bash mytool * allow'], 'ask', DEFAULTS],
  ['mytool /etc/hosts', ['bash mytool * allow', 'fs.read /etc/hosts allow'], 'allow', DEFAULTS],
  ['mytool ~/.ssh/x', ['bash mytool * allow'], 'ask', DEFAULTS],
  ['mytool /etc/hosts', ['bash mytool * allow', 'fs.read ** ask'], 'ask'],
  ['mytool /etc/hosts', ['bash mytool * allow', 'fs.read /etc/** ask'], 'ask', DEFAULTS],
  // Where the folder is lost, rules about files ask, and protected names do.
  ['cd -; cat a', [ALL], 'allow'],
  ['cd -; cat a', [ALL, 'read secret deny'], 'ask'],
  ['cd -; touch x', [ALL], 'allow'],
  ['cd -; touch .envrc', [ALL], 'ask'],
  ['cd -; touch .envrc', [ALL], 'deny', { headless: true }],
  ['cd -; mytool x', [ALL, 'read secret deny'], 'allow'],
  // What lies below a folder that is swept over.
  ['grep -r x src', [ALL, 'read src/** ask', 'read src/k deny'], 'deny', { workspace: PLANTED }],
  ['grep -r x src', [ALL, 'read src/** deny', 'read src/k ask'], 'deny'],
  ['grep -r x src', [ALL, 'read src/k allow', 'read docs deny'], 'allow'],
  ['rm -rf /nonexistent/w', [ALL], 'ask', { workspace: ['/nonexistent/w', '/nonexistent/v'] }],
  ['rm -rf /nonexistent/w/x', [ALL], 'allow', { workspace: ['/nonexistent/w', '/nonexistent/v'] }],
  ['rm -rf .', [ALL, 'fs.write src/** allow', 'read q deny'], 'ask'],
  ['grep -r x src', [], 'allow', DEFAULTS],
  ['grep -r x .', [], 'allow', DEFAULTS],
  ['grep -r x .', [], 'ask', { ...DEFAULTS, workspace: PLANTED }],
  ['rg x .', [], 'allow', DEFAULTS],
  // Hosts.
  ['curl http://[', [ALL], 'ask'],
  ['curl https://a.example', [ALL, 'net.fetch a.example ask'], 'ask'],
  ['curl https://a.example', [ALL, 'net.fetch b.example deny'], 'allow'],
  ['curl https://a.example', [ALL, 'net.fetch a.example ask', 'web_fetch a.example deny'], 'deny'],
  ['curl ws://a.example', [ALL, 'net.fetch a.example:80 deny'], 'deny'],
  ['curl ws://a.example', [ALL, 'net.fetch a.example:443 deny'], 'allow'],
  ['curl wss://a.example', [ALL, 'net.fetch a.example:443 deny'], 'deny'],
  ['curl wss://a.example', [ALL, 'net.fetch a.example:80 deny'], 'allow'],
  ['curl http://a.example', [ALL, 'net.fetch a.example:80 deny'], 'deny'],
  ['curl http://a.example', [ALL, 'net.fetch a.example:443 deny'], 'allow'],
  ['curl ftp://a.example', [ALL, 'net.fetch a.example:21 deny'], 'deny'],
  [
    'mytool x=evil.example',
    [ALL, 'net.fetch b.example allow', 'net.fetch evil.example ask'],
    'ask',
  ],
  ['mytool x=evil.example', [ALL, 'net.fetch * ask', 'net.fetch evil.example ask'], 'ask'],
  ['mytool x=evil.example', [ALL, 'net.fetch * ask'], 'allow'],
  ['mytool -=evil.example', [ALL, 'net.fetch evil.example deny'], 'ask'],
  ['mytool x=evil.example', [ALL, 'net.fetch *.evil.example deny'], 'allow'],
  [
    'mytool x=a.evil.example',
    [ALL, 'net.fetch *.a.example deny', 'net.* *.evil.example ask'],
    'ask',
  ],
]);

const IN_SRC = {
  capabilities: { shell: [{ cmd: '*' }], fs: { read: ['src/**', 'docs', '{workspace}'] } },
};
const shell = (...requirements: readonly object[]) => ({ capabilities: { shell: requirements } });
checkCalls('bash', [
  // Every folder a command may stand in counts.
  ['cd src || cd docs; cat x', [ALL], 'refuse', IN_SRC],
  ['cd docs || cd src; cat x', [ALL], 'refuse', IN_SRC],
  ['cd src && cat x', [ALL], 'allow', IN_SRC],
  // Under a shell requirement what cannot be proved is refused; under `*` it is asked.
  ['ls', [ALL], 'allow', shell({ cmd: 'git' }, { cmd: 'ls' })],
  ['ls "', [ALL], 'refuse', shell({ cmd: 'ls' })],
  ['ls "', [ALL], 'ask', shell({ cmd: '*' })],
  ['ls $x', [ALL], 'refuse', shell({ cmd: 'ls' })],
  ['ls $x', [ALL], 'ask', shell({ cmd: 'ls' }, { cmd: '*' })],
  ['ls $x', [ALL], 'refuse', shell({ cmd: '*', args: ['x'] })],
  ['./ls x', [ALL], 'refuse', shell({ cmd: '*', args: ['x'] })],
  ['ls x', [ALL], 'allow', shell({ cmd: '*', args: ['x'] })],
  ["'a\\b' x", [ALL], 'refuse', shell({ cmd: '*', args: ['x'] })],
]);
checkCalls('read', [
  ['/elsewhere/x', ['* * allow'], 'refuse', { capabilities: { fs: { read: ['**/x'] } } }],
  ['src/x', ['* * allow'], 'allow', { capabilities: { fs: { read: ['**/x'] } } }],
  ['x', ['read x deny', 'read ** allow'], 'deny', { cwd: '/elsewhere' }],
  ['x', ['read x allow'], 'ask', { cwd: '/elsewhere' }],
]);

const DESTRUCTION = ['bash * allow', 'fs.write ** allow', 'fs.read ** allow'];
const USUAL = { workspace: ['/usr/src/app', '/nonexistent/w'] };
checkCalls('bash', [
  ['rm -rf /usr/src/app/build', DESTRUCTION, 'allow', USUAL],
  ['rm -rf /usr/src/other', DESTRUCTION, 'deny', USUAL],
  ['rm -rf /dev/shm/x', DESTRUCTION, 'allow'],
  // Where these lead isn't known, so neither is whether protected files lie there.
  ['rm -rf /dev/fd/3', DESTRUCTION, 'ask'],
  ['rm -rf /dev/null', DESTRUCTION, 'allow'],
  ['rm -rf /dev/x', DESTRUCTION, 'deny'],
  ['rm -rf ~root', DESTRUCTION, 'deny'],
  ['rm -rf ~other/x', DESTRUCTION, 'ask'],
  ['mkswap /dev/mapper/x', DESTRUCTION, 'deny'],
  ['mkfs.ext4 -F /dev/sda1', DESTRUCTION, 'deny'],
  ['newfs /dev/sda1', DESTRUCTION, 'deny'],
  ['mke2fs -t ext4 /dev/sdb', DESTRUCTION, 'deny'],
  ['blkdiscard /dev/nvme0n1', DESTRUCTION, 'deny'],
  ['mkfs -t ext4 disk.img', DESTRUCTION, 'allow'],
  ['mkfs.ext4 -F /dev/sd$x', DESTRUCTION, 'deny'],
  [
    'dd if=/dev/zero of=disk.img',
    [...DESTRUCTION, 'bash dd if=/dev/zero of=disk.img allow'],
    'allow',
  ],
  ['dd if=/etc/hosts of=hosts', DESTRUCTION, 'ask'],
  ['dd if=x of=/etc/hosts', DESTRUCTION, 'deny'],
  ['dd if=/dev/sda of=disk.img', DESTRUCTION, 'deny'],
  ['shred ./x', DESTRUCTION, 'allow'],
  ['chmod -R 777 ../../etc', DESTRUCTION, 'deny'],
  ['chmod 777 /etc/hosts', DESTRUCTION, 'allow'],
  ['find /etc -name x', DESTRUCTION, 'allow'],
  ['rm -r $x /etc', DESTRUCTION, 'deny'],
  ['export -p | curl https://a.example', DESTRUCTION, 'ask'],
  ['declare -x | curl https://a.example', DESTRUCTION, 'ask'],
]);

test('a decision says why: the rule, the text that no wildcard covers, the act that destroys', async () => {
  const reasonOf = async (command: string, ...rules: readonly string[]) =>
    (await evaluateBash(command, rules)).reason;
  assert.match(
    await reasonOf('sort -o a b', 'bash sort * allow'),
    /`-o a?`?.*contains it literally/,
  );
  assert.match(await reasonOf('sort a b'), /^No rule covers `sort a b`\.$/);
  const long = `ls ${'a'.repeat(137)}`;
  assert.equal(await reasonOf(long), `No rule covers \`${long}\`.`);
  assert.equal(await reasonOf(`${long}b`), `No rule covers \`${long.slice(0, -1)}…\`.`);
  const hosts = ['net.fetch evil.example ask', 'web_fetch evil.example deny'];
  assert.match(
    await reasonOf('mytool x=evil.example', 'bash * allow', ...hosts),
    /the rule `web_fetch evil.example`/,
  );
  const { subjects } = await evaluateBash('rm -rf / > /dev/sda', DESTRUCTION);
  assert.deepEqual(
    subjects
      .filter(({ permission }) => permission === 'watchdog')
      .map(({ target }) => target)
      .sort(),
    ['/dev/sda', 'rm -rf /'],
  );
});

test('of equally strict rules the first is named', async () => {
  const rules = ['bash git p* deny', 'bash git *h deny'];
  assert.equal((await evaluateBash('git push', rules)).rule?.pattern, 'git p*');
  assert.equal((await evaluateBash('git push', rules.toReversed())).rule?.pattern, 'git *h');
});

test('what is refused or redirected is shown with the answer it would have had', async () => {
  const { subjects } = await evaluateBash('cat ../a', ['bash * allow'], {
    capabilities: { shell: [{ cmd: 'cat' }], fs: { read: ['{workspace}/**'] } },
  });
  assert.equal(subjects.find(({ permission }) => permission === 'fs.read')?.decision, 'ask');
  const offered = async (command: string) =>
    (await evaluateBash(command, ['bash * allow'])).candidates.length > 0;
  assert.deepEqual(
    [await offered('ls > AGENTS.md'), await offered('cat < AGENTS.md'), await offered('ls > a')],
    [false, true, true],
  );
});

test('an address that cannot be read asks, and is refused where hosts are granted', async () => {
  const subject = {
    permission: 'web_fetch',
    capability: 'net.fetch',
    target: 'http://[',
    match: 'host',
  } as const;
  const call = { tool: 'web_fetch', input: {}, subjects: [subject] } as const;
  const policy = policyOf(rulesOf('web_fetch * allow'));
  const capabilities = { net: { hosts: ['*'] } };
  assert.equal((await evaluate(call, policy)).decision, 'ask');
  assert.equal((await evaluate(call, { ...policy, capabilities })).decision, 'refuse');
});

test('a rule without operands counts the words that are its own, not their options', async () => {
  const rule: Rule = {
    permission: 'bash',
    pattern: 'git branch -a',
    action: 'allow',
    source: 'session',
    flags: '! -a -v',
  };
  const decide = async (command: string) =>
    (await evaluate(bashCall(command), policyOf([rule]))).decision;
  assert.deepEqual(
    [
      await decide('git branch -a'),
      await decide('git branch -a -v'),
      await decide('git branch -a x'),
      await decide('git branch -a -x'),
    ],
    ['allow', 'allow', 'ask', 'ask'],
  );
});

test('a private address says why no wide rule allows it', async () => {
  const reasonOf = async (target: string, ...rules: readonly string[]) => {
    const subject = { permission: 'web_fetch', capability: 'net.fetch', target, match: 'host' };
    const call = { tool: 'web_fetch', input: {}, subjects: [subject as Subject] } as const;
    return (await evaluate(call, policyOf(rulesOf(...rules)))).reason;
  };
  assert.match(await reasonOf('http://localhost/', 'web_fetch * allow'), /private address/);
  assert.match(await reasonOf('http://localhost/', 'web_fetch localhost ask'), /^The rule `web_/);
  assert.match(await reasonOf('http://a.example/'), /^No rule covers/);
});
