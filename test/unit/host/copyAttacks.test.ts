import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { calls, connect, newSession, prompt, temporary } from './harness.ts';

/**
 * Scripts that try to get something out of the copy: to a file outside of the workspace, to one that a rule denies,
 * or, while every review is rejected, to the workspace. `OUT` is a folder outside.
 */
const TOGETHER: readonly string[] = [
  // Links that a later command, or the writing of the changes, would follow.
  'ln -s OUT link; echo x > link/a',
  'ln -s OUT/a link.txt; echo x > link.txt',
  'mkdir -p d2/e; ln -s OUT d2/e/l; echo x > d2/e/l/a',
  'echo x > d/l; rm d/l; ln -s ../../OUT d/l',
  'ln -s . loop; echo x > loop/loop/loop/by-loop',
  'rm old; ln -s OUT/a old; echo x >> old',
  'ln -s /proc/1/root/OUT proc; echo x > proc/a',
  'ln -s /proc/self/cwd here; echo x > here/by-proc',
  // Names of one file.
  'ln OUT/a stolen; ln d/x /tmp/x; echo x >> /tmp/x',
  // Folders that are replaced, and what marks them.
  'mv d e; mkdir d; echo x > d/x',
  `rm -r d; mkdir d; touch d/y; perl -e 'syscall(188, "d", "user.overlay.opaque", "y", 1, 0)'`,
  `perl -e 'syscall(188, $ARGV[0], "$_.overlay.redirect", "/etc", 4, 0) for qw(user trusted)' d; ls d`,
  `perl -e 'syscall(188, "old", $_, "x", 1, 0) for qw(user.overlay.metacopy user.overlay.origin user.x)'`,
  'mknod whiteout c 0 0; mknod d/x c 0 0; rm d/x; mknod d/x c 0 0',
  'mkdir w; cd w; ln -s ../d .wh.d; touch .wh..wh..opq .wh.old',
  // Special files.
  'mkfifo fifo; rm old; mkfifo old',
  'mknod null c 1 3; mknod disk b 8 0; rm old; mknod old c 1 3',
  'perl -MSocket -e "socket(S,AF_UNIX,SOCK_STREAM,0); bind(S,pack_sockaddr_un(q(s))); listen S,1"',
  // Names.
  "printf x > $'new\\nline'; printf x > $'back`tick'; printf x > ' '; printf x > '-rf'",
  'printf x > OLD; printf x > Old; mkdir D; printf x > D/x',
  "mkdir 'a..b'; printf x > 'a..b/..c'; printf x > $'\\u202Etxt.a'",
  // Modes.
  'chmod 000 old; chmod 6755 a.sh; cp /bin/true su; chmod 4755 su',
  // What outlives the command, or runs beside it.
  '(setsid bash -c "sleep 1; echo x > late; ls OUT" >/dev/null 2>&1 &); echo x > early',
  'nohup bash -c "while sleep 0.1; do echo x > spin; done" >/dev/null 2>&1 &',
  // The sandbox itself.
  'mount -t tmpfs none d; unshare -Ur mount --bind / d; umount .; mount -o remount,rw /',
  'echo x > /proc/1/root/OUT/a; echo x > /proc/self/root/OUT/a; ls /proc/*/fd',
  'for f in /proc/self/fd/*; do echo x > $f/a; readlink $f; done; cat <&3; cat <&4; cat <&5',
  'cd ..; echo x > sibling; mkdir -p OUT; echo x > OUT/a',
  'echo x > ../../$(basename $PWD)/dotdot; touch /etc/by-attack /usr/by-attack; mkdir -p OUT',
  // What later commands, git or the editor would run or trust.
  'mkdir -p .vscode; echo "{}" > .vscode/settings.json; echo x > .envrc',
  'echo x > deny/kept; cp deny/kept seen; ln deny/kept also',
];

/** Those of which nothing is written, or that ask to run for real, each in a call of its own. */
const ALONE: readonly string[] = [
  'chmod 000 d; mkdir locked; touch locked/x; chmod 000 locked',
  `perl -e '$d = "a" x 200; for (1..25) { mkdir $d; chdir $d }'; echo x > deep`,
  'rm -r d; ln -s OUT d',
  'mv d gone; ln -s OUT d; echo x > d/a',
  'ln hard second; echo x >> second; rm hard',
  'chmod 4777 hard; echo x >> hard',
  'chmod 0777 hard',
  "printf x > $'\\xff\\xfe'; rm $'not-\\xff'",
  'printf "*" > .gitignore; echo x > ignored; mkdir .git; printf "[core]\\n\\tfsmonitor=touch OUT/a" > .git/config',
  'mkdir -p deny; echo x > deny/new; rm deny/kept; mv deny denied; ln -s denied deny',
  'truncate -s 20G sparse; rm d/x; mkdir d/x; touch d/x/y',
];

const ALLOW = { permission: 'fs.write', pattern: '**', action: 'allow' };
const DENY = { permission: 'write', pattern: '**/deny/**', action: 'deny' };

for (const [how, rules] of [
  ['every answer is a rejection', [DENY]],
  ['a rule allows every write', [ALLOW, DENY]],
] as const) {
  test(`nothing leaves the copy when ${how}`, async (t) => {
    const rejects = how.startsWith('every');
    const half = Math.ceil(TOGETHER.length / 2);
    const together = [TOGETHER.slice(0, half), TOGETHER.slice(half)];
    const calls = rejects
      ? [[...TOGETHER, ...ALONE]]
      : [...together, ...ALONE.map((each) => [each])];
    const { workspace, outside, run } = await start(t, rules, calls.length);
    const faults: string[] = [];
    for (const attacks of calls) {
      const line = attacks.map((each, at) => `(cd ${at}; ${each.replaceAll('OUT', outside)})`);
      plant(workspace, outside, attacks.length);
      writeFileSync(path.join(workspace, 'all.sh'), `${line.join('\n')}\necho x > written\n`);
      const [inside, beyond] = [snapshot(workspace), snapshot(outside)];
      const text = await run();
      if (
        !/ran in a copy|not possible in a copy|"denied"/.test(text) ||
        text.includes('The tool failed')
      ) {
        faults.push(`${attacks[0]}: ${text}`);
      }
      if (snapshot(outside) !== beyond) faults.push(`${attacks[0]}: ${snapshot(outside)}`);
      if (rejects && snapshot(workspace) !== inside) faults.push('inside');
      for (const at of attacks.keys()) {
        const denied = path.join(workspace, String(at), 'deny');
        const isKept = readdirSync(denied).join() === 'kept';
        if (!isKept || readFileSync(`${denied}/kept`, 'utf8') !== 'kept')
          faults.push(`${at}: denied`);
      }
      const writes = together.includes(attacks) && !rejects;
      if (writes) assert.ok(existsSync(path.join(workspace, 'written')), text);
    }
    assert.deepEqual(faults, []);
  });
}

async function start(t: TestContext, rules: readonly object[], count: number) {
  const [data, workspace, outside] = [await temporary(t), await temporary(t), await temporary(t)];
  const settings = { 'sandbox.autoRun': true, permissions: rules };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  const asked: string[] = [];
  const host = await connect(t, {
    ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
    script: Array.from({ length: count }, (_, at) => [
      { calls: [{ tool: 'bash', input: { command: `bash all.sh ${at}` } }] },
      { text: 'Done.' },
    ]).flat(),
    client: {
      permission: ({ options, _meta }) => {
        asked.push(JSON.stringify(_meta));
        const option = options.find(({ kind }) => kind === 'reject_once');
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  const sessionId = await newSession(host);
  return {
    ...{ workspace, outside },
    async run() {
      await prompt(host, sessionId);
      return `${JSON.stringify(calls(host).at(-1))} ${asked.splice(0).join()}`;
    },
  };
}

/** The folder outside, and so many folders of the workspace, as they are before each call. */
function plant(workspace: string, outside: string, count: number): void {
  execFileSync('bash', ['-c', 'chmod -R u+rwX . ; find . -mindepth 1 -delete'], { cwd: workspace });
  writeFileSync(path.join(outside, 'a'), 'outside');
  writeFileSync(path.join(outside, 'hard'), 'outside');
  chmodSync(path.join(outside, 'hard'), 0o644);
  for (let index = 0; index < count; index += 1) {
    const at = (name: string) => path.join(workspace, String(index), name);
    for (const name of ['d', 'deny']) mkdirSync(at(name), { recursive: true });
    for (const name of ['old', 'a.sh', 'd/x', 'd/z']) writeFileSync(at(name), `${name}\n`);
    writeFileSync(at('deny/kept'), 'kept');
    writeFileSync(Buffer.concat([Buffer.from(at('not-')), Buffer.of(0xff)]), 'x');
    linkSync(path.join(outside, 'hard'), at('hard'));
    symlinkSync('old', at('l'));
  }
}

function snapshot(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'latin1' }).sort();
  return names.map((name) => `${name} ${describe(`${folder}/${name}`)}`).join('\n');
}

function describe(name: string): string {
  const file = Buffer.from(name, 'latin1');
  const stats = lstatSync(file);
  const mode = stats.mode.toString(8);
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(file)}`;
  return stats.isFile() && stats.size < 10_000 ? `${mode} ${readFileSync(file, 'latin1')}` : mode;
}
