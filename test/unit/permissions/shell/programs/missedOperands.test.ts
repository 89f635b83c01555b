import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { LAUNCHERS } from '../../../../../src/permissions/shell/programs/launcherTable.ts';
import { toSet } from '../../../../../src/permissions/shell/programs/spellings/optionNames.ts';
import { PROGRAMS } from '../../../../../src/permissions/shell/programs/tables/programTable.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../../ask.ts';

const ROOT = plantWorkspace(['a.txt', 'locked', 'src/a.ts']);
const RULES = [
  ...DEFAULT_RULES,
  ...rulesOf(
    ...['bash * allow', 'bash rm * deny', 'bash lua5 * deny', '* {workspace}/locked deny'],
    'fs.write {workspace}/** allow',
  ),
];
/** Without a file that a rule denies, which searches of the whole folder would read. */
const OPEN = plantWorkspace(['a.txt', 'src/a.ts']);

async function decide(line: string, root = ROOT): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return (await evaluate(bashCall(line), policyOf(RULES, { folders }))).decision;
}

function check(
  title: string,
  expected: 'allow' | 'ask' | 'deny',
  lines: readonly string[],
  root = ROOT,
): void {
  test(`${title}: ${expected}`, async () => {
    const found = await Promise.all(
      lines.map(async (line) => `${line}: ${await decide(line, root)}`),
    );
    assert.deepEqual(
      found,
      lines.map((line) => `${line}: ${expected}`),
    );
  });
}

// What `chmod` and `ar` do may be an operand, or start with a dash.
check('files behind a mode that starts with a dash', 'deny', [
  ...['chmod -w locked', 'chmod -rwx locked', 'chmod -x -- locked', 'chmod -755 locked'],
  ...['chmod -v -w locked', 'chmod -u+x locked', 'chmod -R -w locked', 'chmod 644 locked'],
  ...['ar -q locked a.o', 'ar -r locked a.o', 'ar -t locked', 'ar -p locked', 'ar rcs locked a.o'],
]);
check('a mode, and what is no mode', 'allow', ['chmod -v 644 a.txt', 'chmod -w a.txt']);
check('a mode that starts with a dash, outside the workspace', 'ask', [
  ...['chmod -w /etc/passwd', 'chmod -x .git/hooks/post-commit', 'ar -q ../x.a a.o'],
]);

// The pattern may come from an option, so that the first operand is a file.
const MATCHED = [
  ...['ack --match=x /etc/passwd', 'ug -ex /etc/passwd', 'ug --regexp=x /etc/passwd'],
  ...['sift --regexp=x /etc/passwd', 'sift -ex /etc/passwd', 'grep -ex /etc/passwd'],
];
check('searches whose pattern is the value of an option', 'ask', MATCHED, OPEN);

check('options that take no word, at least on some systems', 'deny', [
  ...['sdiff -W locked a.txt', 'cp -S locked x', 'install -S locked x'],
]);
check('options that take one', 'allow', [
  ...['sdiff -w 80 a.txt src/a.ts', 'cp -b -S .bak a.txt b.txt', 'diff -W 80 a.txt src/a.ts'],
]);

check('commands behind options of launchers that take no word', 'deny', [
  ...['unshare --kill-child rm x', 'rlwrap -p rm x', 'parallel --shuf rm ::: x'],
  ...['dotenv -c ls rm x', 'chrt -o rm x', 'chrt -b -v rm x', 'chrt 1 rm x', 'chrt -f 10 rm x'],
]);
check('a launcher with its own operand', 'allow', ['chrt 1 ls', 'chrt -o ls', 'chrt -b 0 ls']);

check('files of programs whose operands are hosts', 'deny', [
  ...['ncat -o locked h 80', 'ncat --output=locked h 80', 'nc -x locked h 80', 'ncat -x locked h'],
  ...['ncat --ssl-key locked h 443', 'telnet -n locked h', 'ftp -o locked http://h/x'],
  ...['nmap -iL locked', 'nmap --excludefile locked h', 'wget --crl-file=locked http://h/'],
  ...['wget --default-page=locked http://h/', 'wget --warc-dedup locked http://h/'],
  ...['aria2c --save-cookies=locked http://h/x', 'aria2c --load-cookies locked http://h/x'],
  ...['curl --random-file locked http://h/', 'curl --pinnedpubkey locked http://h/'],
]);
check('protected files that they write, and options without a row', 'ask', [
  ...['ncat -o .git/hooks/pre-commit h 80', 'aria2c --save-cookies=.git/hooks/x http://h/x'],
  ...['ncat --log locked h 80', 'ncat --log=locked h 80', 'curl --log .git/hooks/x http://h/'],
  ...['wget --log=/etc/x http://h/', 'nmap --log ../x h'],
]);
check('requests that name no file', 'allow', [
  ...[
    'nc -zv h 80',
    'nc -w 3 h 80',
    'curl -fsS http://h/a',
    'wget --no-check-certificate http://h/',
  ],
  ...['ping -c 3 h', 'dig +short h', 'nmap -p 80 h', 'aria2c -x 4 http://h/x', 'whois h'],
]);

const RUNNING = [
  ...['fzf --listen-unsafe=6266', 'fzf --info-command=ls', 'brew sh -c ls', 'brew bundle'],
  ...['ack --output=x y src', 'ack -x y'],
];
check('programs that run what an option or a word says', 'ask', RUNNING, OPEN);

// Debian and others have links with such names.
check('other names of a program with a rule', 'deny', [
  ...[
    'grm x',
    '/opt/bin/grm x',
    'slogin h rm x',
    'fakeroot-tcp rm x',
    'lua5.4 x',
    'gcc-ar -q locked a.o',
  ],
]);
check('other names of a program with a row', 'ask', [
  ...['rzsh -c ls', "ghostscript -c '(x) run'", 'php.default -r x', 'c99-gcc -B. a.c'],
  ...['perl5.36-x86_64-linux-gnu -e x'],
]);
check('other names of programs that read', 'deny', [
  ...['hd locked', 'lzcat locked', 'unxz -c locked', 'zstdcat locked', 'md5sum.textutils locked'],
]);

test('an operand is a file, whichever option of the row replaces the one before it', async () => {
  const allowed: string[] = [];
  for (const [name, { operands, instead }] of Object.entries(PROGRAMS)) {
    if (instead === undefined || operands === undefined || operands === 'text') continue;
    for (const option of toSet(instead)) {
      const written = option.length === 1 ? `-${option}v` : `--${option}=v`;
      const line = `${name} '${written}' locked`;
      if ((await decide(line)) === 'allow') allowed.push(line);
    }
  }
  assert.deepEqual(allowed, []);
});

test('what follows an option whose value is attached is the command', async () => {
  const missed: string[] = [];
  for (const [name, { attached }] of Object.entries(LAUNCHERS)) {
    for (const option of toSet(attached)) {
      const line = `${name} ${option.length === 1 ? '-' : '--'}${option} rm x`;
      if ((await decide(line)) !== 'deny') missed.push(line);
    }
  }
  assert.deepEqual(missed, []);
});
