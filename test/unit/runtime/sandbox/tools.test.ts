import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { homedir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { fieldAt } from '../../../../src/base/json.ts';
import { findOnPath } from '../../../../src/runtime/commands/onPath.ts';
import { openSandboxBed } from './bed.ts';

/**
 * Lines of usual tools in the copy, each in a folder with a repository, and the end of what they print. A row whose programs are not on this machine is left out; `ALWAYS` are there wherever the
 * tests run.
 */
const ROWS: readonly (readonly [programs: string, line: string, printed: string])[] = [
  [
    'git',
    `git checkout -qb b; echo b >b; git add b; git commit -qm b; git checkout -q -; git merge -q b;
    git tag t; echo c >a; git stash -q; git stash pop -q; git log --oneline | wc -l; git worktree add -q ../tree; cat ../tree/b`,
    '2\nb\n',
  ],
  ['git', 'mkdir d; echo x >d/x; git add d; git commit -qm d; git gc -q; git fsck; echo $?', '0\n'],
  [
    'node npm',
    `npm init -y >/dev/null; npm pkg set scripts.test='node -e "console.log(6*7)"'; mkdir dep; cd dep
    npm init -y >/dev/null; cd ..; npm install --silent ./dep; npm pack --silent; npm test --silent`,
    '1.0.0.tgz\n42\n',
  ],
  [
    'node',
    `node -e "const fs=require('fs');fs.mkdirSync('a1/b',{recursive:true});fs.writeFileSync('a1/b/c','x');
    fs.renameSync('a1','a2');fs.symlinkSync('a2','l');fs.cpSync('a2','a3',{recursive:true});
    fs.rmSync('a2',{recursive:true});console.log(fs.readFileSync('a3/b/c','utf8'))"`,
    'x\n',
  ],
  [
    'make',
    "printf 'all: out\\nout: a\\n\\tcp a out\\n' >Makefile; make -s; make -s; cat out",
    'a\n',
  ],
  ['make cc', `printf 'int main(){return 7;}' >m.c; cc m.c -o m && ./m; echo $?`, '7\n'],
  [
    'python3',
    `python3 -c "import mmap,os
f=open('a','r+b'); m=mmap.mmap(f.fileno(),0); m[0:1]=b'z'; m.flush(); print(open('a').read().strip())"`,
    'z\n',
  ],
  [
    'python3',
    'python3 -m venv --without-pip v && . v/bin/activate && python -c "import sys; print(sys.prefix != sys.base_prefix)"',
    'True\n',
  ],
  [
    'pytest',
    "printf 'def test_a():\\n  assert 1\\n' >test_a.py; pytest -q | tail -1 | cut -c1-8",
    '1 passed\n',
  ],
  [
    'sqlite3',
    `sqlite3 t.db 'pragma journal_mode=wal; create table t(a); insert into t values(1)'
    (sqlite3 t.db 'insert into t values(2)'); sqlite3 t.db 'select sum(a) from t'`,
    'wal\n3\n',
  ],
  [
    'cargo rustc cc',
    'cargo init -q --vcs none --name c . && cargo build -q --offline && ./target/debug/c',
    'Hello, world!\n',
  ],
  [
    'go',
    'go mod init m 2>/dev/null; printf "package main\\nfunc main(){println(5)}" >m.go; go run . 2>&1',
    '5\n',
  ],
  [
    'eslint',
    "printf 'export default [{ rules: { eqeqeq: 2 } }];' >eslint.config.mjs; echo 'export default 1 == 2;' >a.mjs; eslint a.mjs | grep -c eqeqeq",
    '1\n',
  ],
  ['prettier', "echo 'a  =1' >a.js; prettier --write --log-level error a.js; cat a.js", 'a = 1;\n'],
  [
    'tsc',
    "echo 'export const a: number = 1;' >a.ts; tsc --outDir out a.ts; cat out/a.js",
    'export const a = 1;\n',
  ],
  ['flock tar', 'flock a -c "tar cf t.tar a" && tar xOf t.tar', 'a\n'],
];

const execute = promisify(execFile);

const ALWAYS = ['git', 'node', 'npm', 'make', 'flock'];

/** What does not work, and how it fails. */
const BROKEN: typeof ROWS = [
  ['git', 'git mv old new; echo $?', 'Invalid cross-device link\n128\n'],
  ['node', `node -e "try{fs.renameSync('old','new')}catch(e){console.log(e.code)}"`, 'EXDEV\n'],
  ['mv', 'mv old new; ls new', 'x\n'],
  // One name of a file with several is copied, the other stays as it was.
  ['cat', 'echo more >>one; cat two', 'a\n'],
  ['curl', 'curl -s https://example.com/; echo $?', '6\n'],
];

/**
 * Clients of services, which a stand-in answers: what they print when it does, and when they can't reach it.
 * `SOCKET` and `PORT` are the stand-in's. `gh` talks to a host of the internet, as curl does above.
 */
const CLIENTS: readonly (readonly [line: string, outside: RegExp, inside: RegExp])[] = [
  ['curl -sS --unix-socket SOCKET http://localhost/', /9\.9/, /curl: \(7\)/],
  ['curl -sS http://127.0.0.1:PORT/', /9\.9/, /curl: \(7\)/],
  [
    "docker -H unix://SOCKET version --format '{{.Server.Version}}'",
    /^9\.9\n/,
    /Cannot connect to the Docker daemon/,
  ],
  ['kubectl --server http://127.0.0.1:PORT get --raw /healthz', /9\.9/, /was refused/],
  ['psql -h 127.0.0.1 -p PORT -c "select 1"', /^(?!.*refused)/s, /Connection refused/],
  ['ssh -o BatchMode=yes -p PORT 127.0.0.1 true', /^(?!.*refused)/s, /Connection refused/],
];

/** A repository with a folder and a file of two names, as it is before the command. */
const PREPARE = `git init -q; git config user.name a; git config user.email a@example.com; echo a >a; mkdir old; echo a >old/x; echo a >one; ln one two
  git add -A; git commit -qm a`;

async function runRows(rows: typeof ROWS): Promise<readonly string[]> {
  await using bed = await openSandboxBed({ HOME: homedir() });
  const held = await bed.hold();
  const present = rows.filter(([programs]) => programs.split(' ').every(isUsable));
  const wrong: string[] = [];
  for (const [at, [programs, line, printed]] of present.entries()) {
    const folder = path.join(bed.workspace, `r${at}`);
    mkdirSync(folder);
    assert.equal(spawnSync('bash', ['-c', PREPARE], { cwd: folder }).status, 0);
    const { output } = await bed.run(held.start({ masks: [] }), `cd ${folder}\n${line}`);
    if (!output.endsWith(printed)) wrong.push(`${programs}: ${output}`);
  }
  return wrong;
}

function isInstalled(name: string): boolean {
  return findOnPath(name, process.env['PATH']) !== undefined;
}

/** Some are only starters of tools that the user has not set up. */
function isUsable(name: string): boolean {
  const asked = [`${name} --version`, `${name} version`];
  return isInstalled(name) && asked.some((line) => spawnSync('bash', ['-c', line]).status === 0);
}

test('usual tools build, test and commit in the copy', async () => {
  for (const name of ALWAYS) assert.ok(isInstalled(name), name);
  assert.deepEqual(await runRows(ROWS), []);
});

test('what a copy cannot do fails in a way that is told from other failures', async () => {
  assert.deepEqual(await runRows(BROKEN), []);
});

test('clients of services of this machine reach them outside only, and those by TCP are told apart', async () => {
  await using bed = await openSandboxBed();
  const socket = path.join(bed.workspace, 's.sock');
  await using service = await openService(socket);
  const held = await bed.hold();
  const present = CLIENTS.filter(([line]) => isInstalled(line.split(' ')[0] ?? ''));
  assert.ok(present.length >= 2);
  for (const [line, outside, inside] of present) {
    const command = line.replaceAll('SOCKET', socket).replaceAll('PORT', String(service.port));
    const real = await execute('bash', ['-c', `${command} 2>&1`], { timeout: 60_000 }).catch(
      (fault: unknown) => ({ stdout: String(fieldAt(fault, 'stdout')) }),
    );
    assert.match(real.stdout, outside, line);
    const copied = await bed.run(held.start({ masks: [] }), command);
    assert.match(copied.output, inside, line);
    assert.notEqual(copied.exitCode, 0, line);
    assert.equal(held.report()?.wantedNetwork, line.includes('PORT'), line);
  }
});

/** Answers over a socket as a daemon of Docker does about its version, and the same by TCP. */
async function openService(socket: string) {
  const version = { Version: '9.9', ApiVersion: '1.43', MinAPIVersion: '1.24' };
  const answer: RequestListener = (_, response) => {
    response.setHeader('Api-Version', version.ApiVersion);
    response.end(JSON.stringify(version));
  };
  const servers = [createServer(answer), createServer(answer)] as const;
  await new Promise<void>((resolve) => servers[0].listen(socket, resolve));
  await new Promise<void>((resolve) => servers[1].listen(0, '127.0.0.1', resolve));
  const address = servers[1].address();
  return {
    port: typeof address === 'object' ? address?.port : undefined,
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
