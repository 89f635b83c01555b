import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { failure, success } from '../../../../src/base/outcome.ts';
import { MB } from '../../../../src/base/units.ts';
import type { ConfinedStart } from '../../../../src/runtime/confined.ts';
import type { CopyChange } from '../../../../src/runtime/sandbox/changes/changes.ts';
import { parseReport } from '../../../../src/runtime/sandbox/counters.ts';
import { createSandbox } from '../../../../src/runtime/sandbox/createSandbox.ts';
import { removeFolder } from '../../../../src/runtime/sandbox/folders.ts';
import { findPrograms } from '../../../../src/runtime/sandbox/linux/programs.ts';
import { buildFilter } from '../../../../src/runtime/sandbox/linux/seccomp.ts';
import { findToolFolders } from '../../../../src/runtime/sandbox/linux/toolFolders.ts';
import { runSelfTest } from '../../../../src/runtime/sandbox/selfTest.ts';
import { until } from '../../../workbench/processes.ts';
import { PROBES, runAsUser } from './asUser.ts';
import { openSandboxBed } from './bed.ts';
import { runProbes } from './probes.ts';

const NOTHING = { masks: [] };
const { signal } = new AbortController();

test('what commands change is listed, kept for the next command, and reaches no file', async () => {
  await using bed = await openSandboxBed();
  assert.deepEqual(bed.sandbox.state, { proven: true });
  const file = (name: string) => path.join(bed.workspace, name);
  for (const name of ['src', 'old', '.git']) mkdirSync(file(name));
  for (const name of ['keep', 'gone', 'src/a', 'src/mode', 'old/x', 'old/y', '.git/HEAD'])
    writeFileSync(file(name), name);
  symlinkSync('keep', file('link'));
  const before = snapshot(bed.workspace);
  const held = await bed.hold();
  const line = `echo new >src/a; echo n >src/new; rm gone; chmod 755 src/mode; chmod 700 src; ln -sfn src link
    rm -r old; mkdir old; echo z >old/z; mkfifo pipe; touch keep; echo h >.git/HEAD
    printf x >$'\\xff'; echo b >~/.bashrc; exit 3`;
  const ran = await bed.run(held.start(NOTHING), line);
  assert.deepEqual([ran.output, ran.exitCode], ['', 3]);
  const changes = await held.changes(signal);
  assert.ok(changes.ok);
  const rows = changes.data.files.map((each) =>
    [each.type, each.kind, each.path, each.target ?? '', each.isConflict].join(' ').trim(),
  );
  assert.deepEqual(
    rows.sort(),
    [
      'added file old/z  false',
      'added file \ufffd  false',
      'added special pipe  false',
      'changed file src/a  false',
      'changed link link src false',
      'added file src/new  false',
      'deleted file gone  false',
      'deleted file old/x  false',
      'deleted file old/y  false',
      'mode file src/mode  false',
      'mode folder src  false',
    ].sort(),
  );
  assert.deepEqual(
    changes.data.git.map(({ path: name }) => name),
    ['.git/HEAD'],
  );
  assert.deepEqual(held.report(), {
    wantedNetwork: false,
    refusedHosts: [],
    homeWrites: ['.bashrc'],
    maskedWrites: [],
  });
  const next = await bed.run(held.start(NOTHING), 'cat src/a old/z; ls old; cat gone');
  assert.match(next.output, /^new\nz\nz\n.*gone: No such file/s);
  assert.deepEqual(snapshot(bed.workspace), before);
  assert.equal(existsSync(path.join(bed.home, '.bashrc')), false);

  await held.drop(changes.data.files.filter(({ path: name }) => name === 'gone'));
  assert.equal((await bed.run(held.start(NOTHING), 'cat gone')).output, 'gone');
  // A change of the workspace that came after the copy's own.
  writeFileSync(file('src/a'), 'meanwhile');
  const later = await held.changes(signal);
  const conflicts = later.ok ? later.data.files.filter(({ isConflict }) => isConflict) : [];
  assert.deepEqual(
    conflicts.map(({ path: name }) => name),
    ['src/a'],
  );
  await held.drop(later.ok ? [...later.data.files, ...later.data.git] : []);
  assert.deepEqual(await held.changes(signal), success({ files: [], git: [] }));
  held.release();
});

test('an added folder stays in the copy while something in it stays', async () => {
  await using bed = await openSandboxBed();
  const held = await bed.hold();
  await bed.run(held.start(NOTHING), 'mkdir -p new/dist && echo a >new/a && echo b >new/dist/b');
  const paths = async (): Promise<readonly CopyChange[]> => {
    const found = await held.changes(signal);
    return found.ok ? found.data.files : [];
  };
  const kept = (change: CopyChange) => change.path.startsWith('new/dist');
  await held.drop((await paths()).filter((change) => !kept(change)));
  const left = (await paths()).map((change) => change.path);
  assert.deepEqual(left, ['new', 'new/dist', 'new/dist/b']);
  await held.drop(await paths());
  assert.deepEqual(await paths(), []);
  held.release();
});

test('a host that is killed leaves no mount and no process, and its copy can be removed', async () => {
  await using bed = await openSandboxBed();
  const copies = path.join(bed.base, 'copies');
  const mark = `9${process.pid}.5`;
  const source = path.join(import.meta.dirname, 'bed.ts');
  const line = `const { openSandboxBed } = await import(${JSON.stringify(source)});
    const bed = await openSandboxBed();
    const copy = bed.sandbox.openCopy({ folder: process.argv[1], workspace: [process.argv[2]] });
    const held = await copy.hold(new AbortController().signal);
    const inside = { prepare: (launch) => held.data.start({ masks: [] }).prepare({ ...launch, cwd: process.argv[2] }) };
    process.on('exit', () => undefined);
    void bed.run(inside, 'echo x >file; echo started >up; exec sleep ${mark}');
    process.stdout.write(bed.base);
    setInterval(() => undefined, 1000);`;
  const args = ['--input-type=module', '-e', line, path.join(copies, 'left'), bed.workspace];
  const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let other = '';
  host.stdout.on('data', (bytes: Buffer) => {
    other += bytes;
  });
  await until('the command', () => existsSync(path.join(copies, 'left/o0/u/up')));
  host.kill('SIGKILL');
  const isOver = () => spawnSync('pgrep', ['-f', `^sleep ${mark}`]).status === 1;
  await until('the end of the command', isOver);
  assert.doesNotMatch(readFileSync('/proc/self/mountinfo', 'utf8'), new RegExp(bed.base));
  removeFolder(path.join(copies, 'left'));
  assert.deepEqual([readdirSync(copies), readdirSync(bed.workspace)], [[], []]);
  removeFolder(other);
});

test('files that were written again with the same content are no changes, whatever their size', async () => {
  await using bed = await openSandboxBed();
  const large = Buffer.alloc(2 * MB + 5, 'a');
  for (const name of ['same', 'other']) writeFileSync(path.join(bed.workspace, name), large);
  const held = await bed.hold();
  const line =
    'for f in same other; do cp $f t; cat t >$f; done; rm t; printf b | dd of=other bs=1 seek=2097154 conv=notrunc 2>/dev/null';
  await bed.run(held.start(NOTHING), line);
  const changes = await held.changes(signal);
  assert.deepEqual(changes.ok && changes.data.files.map((each) => each.path), ['other']);
  held.release();
});

test('git finds the repository of a worktree, and a file can name no other folder', async () => {
  await using bed = await openSandboxBed();
  const line = `cd ${bed.outside} && git init -q r && cd r && git config user.name a &&
    git config user.email a@example.com && echo a >a && git add a && git commit -qm a &&
    git worktree add -q ../../workspace/tree && git init -q ../../workspace/none`;
  const made = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const tree = path.join(bed.workspace, 'tree');
  const run = async (command: string) => {
    const folder = path.join(bed.base, 'tree-copy');
    const held = await bed.sandbox.openCopy({ folder, workspace: [tree] }).hold(signal);
    assert.ok(held.ok);
    const confined = held.data.start(NOTHING);
    const inTree: ConfinedStart = { prepare: (all) => confined.prepare({ ...all, cwd: tree }) };
    return (await bed.run(inTree, command)).output;
  };
  assert.equal(await run('echo b >a; git status --short; git diff --stat | wc -l'), ' M a\n2\n');
  assert.match(await run('git config user.name x; git commit -qam b; echo $?'), /[1-9]\d*\n$/);
  const decoy = path.join(bed.outside, 'worktrees/x');
  mkdirSync(decoy, { recursive: true });
  writeFileSync(path.join(decoy, 'gitdir'), `${bed.workspace}/none/.git`);
  writeFileSync(path.join(tree, '.git'), `gitdir: ${decoy}\n`);
  assert.match(await run(`ls ${decoy}`), /No such file/);
});

test('usual tools work in the copy', async () => {
  await using bed = await openSandboxBed();
  const held = await bed.hold();
  const line = `set -e; git init -q . && git config user.name a && git config user.email a@example.com
    echo a >a && git add a && git commit -qm a && git checkout -qb other && echo b >a && git stash -q
    git stash pop -q && git log --oneline | wc -l
    flock a -c 'echo locked'
    perl -e 'use Fcntl; open(F,"+<","a") or die; print "perl\\n"'
    mkdir -p d/e && mv d f && cp -r f g && rm -rf f && ln -s g h && tar cf t.tar g && tar tf t.tar | head -1
    find . -name a | xargs grep -c b; sort a | uniq -c | wc -l; ls ~ | wc -l; echo x >/tmp/t && cat /tmp/t`;
  const ran = await bed.run(held.start(NOTHING), line);
  assert.equal(ran.output, '1\nlocked\nperl\ng/\n1\n1\n0\nx\n');
  held.release();
});

test('masked files read as empty, and a write to one is reported; network attempts are counted', async () => {
  await using bed = await openSandboxBed();
  const [env, folder] = [path.join(bed.workspace, '.env'), path.join(bed.workspace, 'private')];
  writeFileSync(env, 'SECRET');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'key'), 'SECRET');
  writeFileSync(path.join(bed.outside, 'other'), 'SECRET');
  const held = await bed.hold();
  const masks = [env, folder];
  const line = `cat .env private/*; cp .env z; cat z; mv .env q; ln .env h; cat ${bed.outside}/other
    env; echo x >.env; exec 3<>/dev/tcp/192.0.2.1/80`;
  const ran = await bed.run(held.start({ masks }), line);
  assert.doesNotMatch(ran.output, /SECRET/);
  const report = held.report();
  assert.deepEqual([report?.wantedNetwork, report?.maskedWrites], [true, [env]]);
  assert.equal(readFileSync(env, 'utf8'), 'SECRET');
  held.release();
});

test('nothing is run where the files to hide are not known, or are too many', async () => {
  await using bed = await openSandboxBed();
  const held = await bed.hold();
  const unknown = async () => {
    throw new Error('the list broke off');
  };
  const ran = bed.run(held.start({ masks: unknown }), 'echo ran >ran');
  await assert.rejects(ran, /^Error: The sandbox could not be set up: the list broke off$/);
  const many = async () => Array.from({ length: 2501 }, (_, at) => `${bed.workspace}/${at}`);
  const ran2 = bed.run(held.start({ masks: many }), 'echo ran >ran');
  await assert.rejects(ran2, /The rules cover more than 2500 files/);
  const changes = await held.changes(signal);
  assert.deepEqual(changes.ok && changes.data.files, []);
});

test('a link that is swapped while bash opens it leads a redirection out in none of 1,000 tries', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  const secret = path.join(bed.outside, 'secret');
  writeFileSync(secret, 'kept');
  writeFileSync(at('inside'), '');
  symlinkSync('inside', at('link'));
  // Swaps until the command has ended, or 200,000 times: outside, inside, outside, …
  const line = `import { existsSync, renameSync, symlinkSync } from 'node:fs';
    for (let i = 0; i < 200_000 && !existsSync('ended'); i += 1) {
      symlinkSync(i % 2 ? 'inside' : ${JSON.stringify(secret)}, 'next');
      renameSync('next', 'link');
      if (i === 0) console.log('swapped');
    }`;
  const swapper = spawn(process.execPath, ['--input-type=module', '-e', line], {
    ...{ cwd: bed.workspace, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  const exited = once(swapper, 'exit');
  await once(swapper.stdout, 'data');
  const held = await bed.hold();
  const tries = 'for ((i = 0; i < 1000; i++)); do echo won >link; done 2>/dev/null; echo $i';
  const ran = await bed.run(held.start(NOTHING), tries);
  held.release();
  writeFileSync(at('ended'), '');
  await exited;
  assert.equal(ran.output, '1000\n');
  assert.equal(readFileSync(secret, 'utf8'), 'kept');
  // Outside of the sandbox the same redirection follows the link.
  rmSync(at('link'));
  symlinkSync(secret, at('link'));
  spawnSync('bash', ['-c', 'echo won >link'], { cwd: bed.workspace });
  assert.equal(readFileSync(secret, 'utf8'), 'won\n');
});

test('one command has the copy at a time, and what a killed one leaves is removed with it', async () => {
  await using bed = await openSandboxBed();
  const first = await bed.hold();
  const controller = new AbortController();
  const cancelled = bed.copy.hold(controller.signal);
  const second = bed.hold();
  controller.abort();
  assert.equal((await cancelled).ok, false);
  const mark = `7${process.pid}.25`;
  await bed.run(first.start(NOTHING), `setsid sleep ${mark} & echo one >file`);
  assert.equal(spawnSync('pgrep', ['-f', `^sleep ${mark}`]).status, 1);
  first.release();
  const next = await second;
  assert.equal((await bed.run(next.start(NOTHING), 'cat file')).output, 'one\n');
  next.release();
  await bed.copy.close();
  assert.deepEqual(readdirSync(path.join(bed.base, 'data')), []);
  assert.doesNotMatch(readFileSync('/proc/self/mountinfo', 'utf8'), new RegExp(bed.base));
});

test('names with special characters and a data folder of 150 characters are no obstacle', async () => {
  await using bed = await openSandboxBed();
  const workspace = path.join(bed.workspace, `a b,c:d'e"f$g#h\\i\tj`);
  const folder = path.join(bed.base, 'd'.repeat(150), 'copy');
  mkdirSync(workspace);
  writeFileSync(path.join(workspace, 'own'), 'own');
  const copy = bed.sandbox.openCopy({ folder, workspace: [workspace] });
  const held = await copy.hold(signal);
  assert.ok(held.ok);
  const line = `cd ${JSON.stringify(workspace).replaceAll('$', '\\$').replaceAll('\\t', '\t')} && echo x >own`;
  const inside = {
    prepare: (launch: Parameters<ReturnType<typeof held.data.start>['prepare']>[0]) =>
      held.data.start(NOTHING).prepare({ ...launch, cwd: workspace }),
  };
  assert.equal((await bed.run(inside, line)).output, '');
  const changes = await held.data.changes(signal);
  assert.deepEqual(changes.ok && changes.data.files.map((each) => each.path), ['own']);
  held.data.release();
  await copy.close();
});

test('a live run writes the workspace and nothing else, and .git stays where it is', async () => {
  await using bed = await openSandboxBed();
  const git = path.join(bed.workspace, '.git');
  mkdirSync(path.join(git, 'hooks'), { recursive: true });
  const live = bed.sandbox.live({
    folder: path.join(bed.base, 'data/live'),
    workspace: [bed.workspace],
    masks: [],
  });
  const line = `echo x >file; mv .git other; echo x >.git/hooks/pre-commit; echo x >${bed.outside}/w`;
  await bed.run(live, line);
  assert.deepEqual(readdirSync(bed.workspace).sort(), ['.git', 'file']);
  assert.deepEqual([readdirSync(path.join(git, 'hooks')), readdirSync(bed.outside)], [[], []]);
});

test('a live run is refused where the .git of a repository is a link, which nothing could keep', async () => {
  await using bed = await openSandboxBed();
  mkdirSync(path.join(bed.workspace, 'a/b'), { recursive: true });
  symlinkSync(bed.outside, path.join(bed.workspace, 'a/b/.git'));
  const options = { folder: path.join(bed.base, 'data/live'), workspace: [bed.workspace] };
  const live = bed.sandbox.live({ ...options, masks: [] });
  await assert.rejects(bed.run(live, 'echo ran >ran'), /a\/b\/\.git is a link\.$/);
  assert.deepEqual(readdirSync(bed.workspace), ['a']);
});

test('a run reaches the hosts that were authorized by name and by address, through its proxy alone', async () => {
  const site = createServer((asked, answer) =>
    answer.end(`${asked.method} ${asked.headers.host}\n`),
  );
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const address = site.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const names: Record<string, string> = {
    'docs.example': '93.184.215.14',
    'inner.example': '10.0.0.7',
  };
  const dialled: string[] = [];
  await using bed = await openSandboxBed(
    { TMPDIR: '/tmp' },
    {
      lookup: async (name) => {
        const found = names[name];
        return found === undefined ? [] : [{ address: found, family: 4 }];
      },
      dial: (to, toPort) => {
        dialled.push(`${to}:${toPort}`);
        return { host: '127.0.0.1', port };
      },
    },
  );
  const asked: string[] = [];
  const egress = {
    async authorize({ target }: { target: string }) {
      asked.push(target);
      const { hostname } = new URL(target);
      return /^(docs|inner)\.example$/.test(hostname) ? success(undefined) : failure('No rule.');
    },
    authorizeAddress: async () => success(undefined),
  };
  const held = await bed.hold();
  const get = (proxy: string, line: string) =>
    `printf '${line} HTTP/1.1\\r\\nHost: evil.example\\r\\nConnection: close\\r\\n\\r\\n' | perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new("${proxy}") or die "no way\\n"; print $s (<STDIN>); @a=<$s>; print @a'`;
  const proxy = '127.0.0.1:3128';
  const lines = [
    get(proxy, 'GET http://docs.example/a'),
    get(proxy, 'GET http://evil.example/'),
    get(proxy, 'GET http://inner.example/'),
    get(proxy, 'CONNECT docs.example:22'),
    get(proxy, 'CONNECT evil.example%%00.docs.example:443'),
    get(proxy, 'CONNECT docs.example:443 HTTP/1.1\\r\\n\\r\\nGET /'),
    get(`127.0.0.1:${port}`, 'GET /'),
  ];
  const ran = await bed.run(
    held.start({ masks: [], egress }),
    `echo $https_proxy; ${lines.join('\n')}`,
  );
  site.close();
  const refusedPort = "Port 22 can't be reached through the proxy.";
  assert.match(ran.output, /^http:\/\/127\.0\.0\.1:3128\nHTTP\/1\.1 200 OK.*GET docs\.example/s);
  assert.match(ran.output, /403 Forbidden.*Gatehouse: No rule\./s);
  assert.match(ran.output, /Gatehouse: inner\.example resolves to 10\.0\.0\.7\. No rule\./);
  assert.ok(ran.output.includes(refusedPort), ran.output);
  assert.match(ran.output, /200 Connection established/);
  assert.match(ran.output, /no way/);
  assert.deepEqual(dialled, ['93.184.215.14:80', '93.184.215.14:443']);
  assert.equal(
    asked.some((target) => target.includes('%00')),
    false,
  );
  assert.deepEqual(held.report()?.refusedHosts, [
    'evil.example:80',
    'inner.example:80',
    'docs.example:22',
    'evil.example%00.docs.example:443',
  ]);
  held.release();
});

test('a refreshed index and FETCH_HEAD are no changes; a commit, a stage and a flag are', async () => {
  await using bed = await openSandboxBed();
  const git = (line: string) =>
    spawnSync('bash', ['-c', `cd ${bed.workspace} && ${line}`], { encoding: 'utf8' });
  const config = 'git config user.name a && git config user.email a@example.com';
  const made = git(
    `git init -q && ${config} && echo a >a && echo b >b && git add a b && git commit -qm a`,
  );
  assert.equal(made.status, 0, made.stderr);
  const changes = async (command: string) => {
    const held = await bed.hold();
    const ran = await bed.run(held.start(NOTHING), command);
    assert.equal(ran.exitCode, 0, ran.output);
    const found = await held.changes(signal);
    assert.ok(found.ok);
    const names = found.data.git.map(({ path: name }) => name.replace(/objects\/.*/, 'objects'));
    await held.drop([...found.data.files, ...found.data.git]);
    held.release();
    return [...new Set(names)];
  };
  // A file with another time makes git write its index again.
  const refresh = 'touch -d yesterday a && git update-index --refresh && echo x >.git/FETCH_HEAD';
  assert.deepEqual(
    await changes(`cp .git/index /tmp/i; ${refresh}; ! cmp -s .git/index /tmp/i`),
    [],
  );
  assert.deepEqual(await changes('echo c >a && git add a'), ['.git/index', '.git/objects']);
  assert.deepEqual(await changes('git update-index --assume-unchanged b'), ['.git/index']);
  assert.ok((await changes('git commit -q --allow-empty -m b')).includes('.git/logs/HEAD'));
  assert.equal(git('git status --porcelain; git log --oneline | wc -l').stdout, '1\n');
});

test('a sandbox without a part of its confinement is not proven', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-flags-'));
  const programs = findPrograms({ GATEHOUSE_BWRAP: '' });
  assert.ok('bwrap' in programs);
  const test = (edit: (options: readonly string[]) => readonly string[]) =>
    runSelfTest({ programs, folder, edit });
  const without =
    (...words: string[]) =>
    (options: readonly string[]) => {
      const at = options.findIndex((_, index) =>
        words.every((word, offset) => options[index + offset] === word),
      );
      assert.notEqual(at, -1, words.join(' '));
      return options.toSpliced(at, words.length);
    };
  assert.equal(await test((options) => options), undefined);
  assert.match((await test(without('--unshare-net'))) ?? '', /reached the network/);
  assert.match((await test(without('--unshare-pid'))) ?? '', /sees processes of the host/);
  assert.match((await test(without('--unshare-uts'))) ?? '', /can't be started/);
  assert.match((await test(without('--unshare-ipc'))) ?? '', /namespace of the host: ipc/);
  assert.match((await test(without('--unshare-cgroup-try'))) ?? '', /of the host: cgroup/);
  assert.match((await test(without('--new-session'))) ?? '', /shares the terminal/);
  assert.match((await test(without('--remount-ro', '/'))) ?? '', /wrote in the system folders/);
  assert.match((await test(without('--unshare-user'))) ?? '', /can't be started/);
  assert.match((await test(without('--seccomp', '3'))) ?? '', /not filtered/);
  assert.match((await test(without('--hostname', 'sandbox'))) ?? '', /name of the host/);
  assert.match(
    (await test(without('--tmpfs', '/proc/1', '--remount-ro', '/proc/1'))) ?? '',
    /can reach process 1/,
  );
  const system = ['--ro-bind-try', '/proc/sys', '/proc/sys'];
  if (process.getuid?.() === 0) {
    assert.match((await test(without('--cap-drop', 'ALL'))) ?? '', /capabilities/);
    assert.match((await test(without(...system))) ?? '', /change the kernel/);
  }
  const leaking = (options: readonly string[]) => ['--bind', '/', '/', ...options];
  assert.notEqual(await test(leaking), undefined);
  assert.deepEqual(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
});

test('91 ways out are closed', async () => {
  assert.deepEqual(await runProbes(), { open: [], count: 91 });
});

test('91 ways out are closed to an ordinary user', async () => {
  const ran = await runAsUser(PROBES);
  assert.deepEqual(ran.result, { open: [], count: 91 }, ran.errors);
});

test('without bwrap nothing runs, and the reason names it', async () => {
  await using bed = await openSandboxBed({ GATEHOUSE_BWRAP: '/nowhere' });
  const reason = 'Commands are not sandboxed, because bubblewrap (bwrap) is not installed.';
  assert.deepEqual(bed.sandbox.state, { proven: false, reason });
  const held = await bed.hold();
  await assert.rejects(bed.run(held.start(NOTHING), 'echo ran'), /\(bwrap\) is not installed/);
});

test('the result of the self-test is kept, and a broken bwrap is found again', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-kept-'));
  const bwrap = path.join(folder, 'bwrap');
  writeFileSync(bwrap, '#!/bin/sh\necho broken >&2; exit 1\n', { mode: 0o755 });
  const broken = await createSandbox({ folder, env: { GATEHOUSE_BWRAP: bwrap } });
  assert.deepEqual(broken.state, {
    proven: false,
    reason: "The sandbox can't be started here: broken",
  });
  assert.deepEqual(readdirSync(folder), ['bwrap']);
  await createSandbox({ folder, env: {} });
  assert.deepEqual(readdirSync(folder).sort(), ['bwrap', 'sandbox-test.json']);
  rmSync(folder, { recursive: true });
});

test('the filter has one answer for each call', () => {
  // Independently worked out: code, jumps and constants of the machine check and of one denied call.
  const x64 = buildFilter('x64');
  assert.equal(x64.subarray(0, 16).toString('hex'), '2000000004000000150001003e0000c0');
  assert.deepEqual([x64.length % 8, buildFilter('arm64').readUInt32LE(12)], [0, 0xc00000b7]);
});

test('folders of version managers are seen whole, others alone, and none of the workspace', () => {
  const base = mkdtempSync(path.join(tmpdir(), 'sandbox-tools-'));
  const home = path.join(base, 'home');
  for (const name of ['.nvm/v20/bin', '.local/bin', 'work/bin', '.cargo/bin', '.rustup'])
    mkdirSync(path.join(home, name), { recursive: true });
  const elsewhere = ['srv/.cargo/bin', 'srv/.pyenv/shims', 'srv/.pyenv/versions'];
  for (const name of ['tool/bin', 'tool/lib', 'tool/private', ...elsewhere])
    mkdirSync(path.join(base, name), { recursive: true });
  const secrets = [`${base}/srv/.cargo/credentials.toml`, `${home}/.cargo/credentials`];
  for (const file of secrets) writeFileSync(file, 'SECRET');
  const inHome = ['.nvm/v20/bin', '.local/bin', 'work/bin', '.cargo/bin'];
  const others = ['../tool/bin', '../srv/.cargo/bin', '../srv/.pyenv/shims', ''];
  const search = [...inHome, ...others].map((name) => path.join(home, name));
  const found = findToolFolders(`/usr/bin:relative:${search.join(':')}`, home, [`${home}/work`]);
  const names = found.read.map((folder) => path.relative(home, folder));
  assert.deepEqual(names, [
    '.cargo',
    '.local/bin',
    '.nvm',
    '.rustup',
    '../srv/.cargo',
    '../srv/.pyenv',
    '../tool/bin',
    '../tool/lib',
  ]);
  // The system's own settings of npm hold a token on some machines, and are hidden, too.
  const own = found.mask.filter((file) => file.startsWith(base));
  assert.deepEqual(own.sort(), secrets.sort());
  rmSync(base, { recursive: true });
});

test('only counters that moved mean the network', () => {
  const head = 'Ip: InReceives OutNoRoutes\nIp: 1';
  assert.deepEqual(parseReport(`began\n${head} 0`), { began: true, wantedNetwork: false });
  assert.deepEqual(parseReport(`began\n${head} 2`), { began: true, wantedNetwork: true });
  assert.deepEqual(parseReport('began\nIp6OutNoRoutes   1'), { began: true, wantedNetwork: true });
  assert.deepEqual(parseReport(''), { began: false, wantedNetwork: false });
});

/** Every path below a folder with its content or kind. */
function snapshot(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return `${file} ${entry.isFile() ? readFileSync(file, 'utf8') : 'no file'}`;
    })
    .sort();
}
