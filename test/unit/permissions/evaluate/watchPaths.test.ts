import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { test } from 'node:test';
import type { Policy } from '../../../../src/permissions/rules/policy.ts';
import { findEffect } from '../../../../src/permissions/shell/effects.ts';
import { evaluateBash, WORKSPACE } from '../ask.ts';

const ALL = ['bash * allow', 'fs.write ** allow', 'fs.read ** allow', 'net.fetch * allow'];

/** Checks what the watchdog does about a line whose words all are allowed literally. */
function check(expected: 'allow' | 'ask' | 'deny', line: string, more: Partial<Policy> = {}): void {
  test(`the watchdog decides ${expected}: ${line} ${JSON.stringify(more)}`, async () => {
    const own = line.split(/; | \| | \|\| | && /).map((each) => `bash ${each} allow`);
    const { decision, layer, reason } = await evaluateBash(line, [...ALL, ...own], more);
    assert.equal(decision, expected, reason);
    assert.equal(layer, expected === 'deny' ? 'watchdog' : 'rules', reason);
  });
}

// Where a word may start.
check('allow', 'rm -rf etc');
check('deny', 'cd / || cd src; rm -rf etc');
check('deny', 'cd src || cd /; rm -rf etc');
check('deny', 'cd /; rm -rf etc');
check('allow', '(cd / && cat etc); rm -rf etc');
check('allow', '(cd / && touch x); rm -rf etc');
check('allow', 'rm -rf etc', { folders: { workspace: ['/w'], adHoc: [], cwd: '/w' } });
check('deny', 'rm -rf etc', { folders: { workspace: ['/w'], adHoc: [], cwd: '/' } });

// Globs, as they are written and as they match.
check('deny', 'rm -rf /etc/ho*');
check('ask', 'cd /etc; rm -rf *');
check('ask', 'rm -rf src/*');
check('ask', 'rm -rf *');
check('deny', 'rm -rf /etc/.*');
check('deny', 'rm -rf /etc/{hosts,passwd}');
check('deny', 'rm -rf "/usr"/*');
check('deny', 'rm -rf ~/*');

// Only what follows the folders of find are its tests.
check('deny', 'find /etc -delete');
check('deny', 'find -H /etc -delete');
check('deny', 'find src /etc -delete');
check('deny', 'find /etc \\( -name x \\) -delete');
check('deny', 'find /etc ! -name x -delete');
check('allow', 'find src -path /etc -delete');
check('ask', 'find src -newer /etc/hosts -exec rm {} +');
check('deny', 'find /etc -exec rm {} +');
check('deny', 'find /etc -execdir /bin/rm {} +');
check('allow', 'find /etc -name rm');
check('allow', 'find rm -name /etc');

// One file of a system tree, and everything below a folder.
check('deny', 'rm /etc/hosts');
check('allow', 'rm /opt/x');
check('allow', 'rm -rf /opt/x');
check('deny', 'rm -rf /opt');
check('deny', 'mv /var/lib x');
check('allow', 'mv /var/lib/x y');
check('deny', `rm -rf ${homedir()}`);
check('allow', `rm -rf ${homedir()}/x`);
check('allow', 'chmod 644 /etc/hosts');
check('deny', 'chmod -R 644 /etc/apt');
check('deny', 'rm -rf /usr/local');
check('allow', 'rm -rf /usr/local/x');
check('deny', 'rm /usr/x');
check('deny', 'rm /dev/nullx');
check('allow', 'rm /dev/null');
check('allow', 'rm /dev/fd/x');
check('allow', 'rm -rf /dev/shm/x');
check('deny', 'rm -rf /dev/shm');
check('allow', 'rm -rf /etc/w/x', { folders: { workspace: ['/etc/w'], adHoc: [], cwd: '/etc/w' } });
check('deny', 'rm -rf /etc/v', { folders: { workspace: ['/etc/w'], adHoc: [], cwd: '/etc/w' } });

// Disks.
check('deny', 'dd if=x of=/dev/sda');
check('allow', 'dd if=x of=y');
check('deny', 'mkfs.ext4 /dev/sda1');
check('allow', 'mkfs.ext4 disk.img');
check('deny', 'diskutil secureErase 0 disk2');
check('allow', 'diskutil list');
check('deny', 'cat x > /dev/sda');
check('allow', 'rsync -a src/ out');
check('deny', 'rsync -a --del src/ /etc');

test('the folders of the workspace are not those of the watchdog', async () => {
  for (const line of [`rm -rf ${WORKSPACE}/src`, `mv ${WORKSPACE}/src ${WORKSPACE}/lib`])
    assert.equal((await evaluateBash(line, [...ALL, `bash ${line} allow`])).decision, 'allow');
});

test('a command deletes, contacts a host, or does neither', () => {
  const words = (line: string) => line.split(' ').map((value) => ({ value, literal: true }));
  const expected = {
    'rm x': 'destructive',
    'RM.EXE x': 'destructive',
    'chmod -R 644 x': 'destructive',
    'chmod 644 x': undefined,
    'find -exec rm {} +': 'destructive',
    'find rm -name x': undefined,
    'find x -exec cat rm +': undefined,
    'find x -delete': 'destructive',
    'find x -ok shred {} +': 'destructive',
    'mv a b': undefined,
    'shred x': 'destructive',
    'rsync -a x y': 'network',
    'rsync --delete x y': 'destructive',
    'git push': 'network',
    'git push -f': 'destructive',
    'git status': undefined,
    'git -C x clean -fd': 'destructive',
    'curl https://a.example': 'network',
    'npm install': 'network',
    'npm test': undefined,
    'gh gist create x': 'network',
    'format-volume x': 'destructive',
    ls: undefined,
  };
  const found = Object.keys(expected).map((line) => {
    const given = words(line);
    return [line, findEffect(given[0]?.value ?? '', given)];
  });
  assert.deepEqual(Object.fromEntries(found), expected);
});
