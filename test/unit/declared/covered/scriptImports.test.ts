import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { listCovered } from '../../../../src/declared/covered/listCovered.ts';
import { cpuTime } from '../../cpuTime.ts';

type Files = Readonly<Record<string, string>>;

function makeFolder(t: TestContext, files: Files): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-covered-')));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

/** The covered files of the folder besides the manifest, for one command. */
async function cover(folder: string, [program = '', ...args]: readonly string[]) {
  const command = { program: path.resolve(folder, program), args, folders: [folder], path: [] };
  const manifest = { file: path.join(folder, 'tools.json'), covers: [], modules: [] };
  const listed = await listCovered({ ...manifest, commands: [command] });
  assert.ok(listed.ok, listed.ok ? '' : listed.error);
  const own = listed.data.map((file) => path.relative(folder, file));
  return own.filter((name) => !name.startsWith('..') && name !== 'tools.json').sort();
}

const PYTHON: Files = {
  'bin/tool.py': [
    'import json, helper as h; import late',
    'from pkg.sub import (one,',
    '    two as three)',
    'from . import beside',
    'from .deep import x \\',
    '  , y',
    'def f():',
    '    import inner',
    "exec(open('run.py').read())",
    "subprocess.run(['sh', 'step.sh'])",
    '# import commented',
  ].join('\n'),
  'bin/helper.py': 'from pkg import other\n',
  'bin/late/__init__.py': 'from .part import z\n',
  'bin/late/part.py': '',
  'bin/pkg/__init__.py': '',
  'bin/pkg/sub/__init__.py': '',
  'bin/pkg/sub/one.py': 'from ...pkg import up\n',
  'bin/pkg/sub/two.py': '',
  'bin/pkg/up.py': '',
  'bin/pkg/other.py': 'import top\n',
  'bin/top.py': '',
  'bin/beside.py': '',
  'bin/deep.py': '',
  'bin/inner.py': '',
  'bin/run.py': '',
  'bin/step.sh': '. ./more.sh\n',
  'bin/more.sh': '',
};

test('the acceptance covers what a Python script imports and starts by name', async (t) => {
  const folder = makeFolder(t, { ...PYTHON, 'bin/unused.py': '', 'bin/data.txt': '' });
  const all = Object.keys(PYTHON).sort();
  assert.deepEqual(await cover(folder, ['/usr/bin/python3', 'bin/tool.py']), all);
  assert.deepEqual(await cover(folder, ['/usr/bin/python3.12', '-u', 'bin/tool.py', 'x']), all);
});

test('a module that Python runs with -m is covered with what it imports', async (t) => {
  const folder = makeFolder(t, {
    'app/__init__.py': '',
    'app/cli.py': 'from .core import run\n',
    'app/core.py': '',
    'app/__main__.py': 'import app.cli\n',
  });
  assert.deepEqual(await cover(folder, ['/usr/bin/python3', '-m', 'app.cli']), [
    'app/__init__.py',
    'app/cli.py',
    'app/core.py',
  ]);
  assert.deepEqual(await cover(folder, ['/usr/bin/python3', '-m', 'app']), [
    'app/__init__.py',
    'app/__main__.py',
    'app/cli.py',
    'app/core.py',
  ]);
});

const SHELL: Files = {
  'bin/tool': [
    '#!/usr/bin/env bash',
    '. ./lib.sh',
    'source "$(dirname "$0")/env" --quiet',
    '[ -f x ] && . "${BASH_SOURCE%/*}/sub/names.sh"',
    'exec python3 "$here/main.py" "$@" >> run.log',
    'echo notes.txt',
  ].join('\n'),
  'bin/lib.sh': '\tsource more.bash;true\n',
  'bin/more.bash': '',
  'bin/env': 'X=1\n',
  'bin/sub/names.sh': '',
  'bin/main.py': 'import part\n',
  'bin/part.py': '',
};

test('the acceptance covers what a shell script sources and starts by name, and no file that it writes', async (t) => {
  const folder = makeFolder(t, { ...SHELL, 'bin/run.log': '', 'bin/notes.txt': '' });
  assert.deepEqual(await cover(folder, ['bin/tool']), Object.keys(SHELL).sort());
  assert.deepEqual(await cover(folder, ['/bin/sh', 'bin/tool']), Object.keys(SHELL).sort());
});

test('a script whose name and first line tell nothing is read as its interpreter does', async (t) => {
  const folder = makeFolder(t, {
    run: '. ./lib\n',
    lib: 'X=1\n',
    tool: 'import part\n',
    'part.py': '',
  });
  assert.deepEqual(await cover(folder, ['/bin/dash', 'run']), ['lib', 'run']);
  assert.deepEqual(await cover(folder, ['/usr/bin/python', 'tool']), ['part.py', 'tool']);
  assert.deepEqual(await cover(folder, ['/bin/cat', 'run']), ['run']);
});

test('Python is read in the ways that it may be written', async (t) => {
  const folder = makeFolder(t, {
    'tool.py': [
      'from.near import x',
      'from \t . \t import beside',
      'if True: import inner',
      'try: from late import y',
      'from wide import (',
      `  # ${'x'.repeat(5_000)}`,
      '  part)',
    ].join('\n'),
    ...{ 'near.py': '', 'beside.py': '', 'inner.py': '', 'late.py': '' },
    ...{ 'wide/__init__.py': '', 'wide/part.py': '' },
  });
  const found = await cover(folder, ['/usr/bin/python3', 'tool.py']);
  const others = ['beside.py', 'inner.py', 'late.py', 'near.py'];
  assert.deepEqual(found, [...others, 'tool.py', 'wide/__init__.py', 'wide/part.py']);
});

test('a module that Python runs is found behind other letters of its option', async (t) => {
  const folder = makeFolder(t, { 'job.py': '' });
  for (const args of [['-Im', 'job'], ['-mjob'], ['-u', '-bm', 'job'], ['-X', 'm', '-m', 'job']])
    assert.deepEqual(await cover(folder, ['/usr/bin/python3', ...args]), ['job.py'], args.join());
});

test('a script that is written to keep the host busy does not', async (t) => {
  const scripts = {
    spaces: `from${' '.repeat(500)}x\n`.repeat(20),
    lists: 'from a import (\n'.repeat(5_000),
    levels: `import ${'a.'.repeat(20_000)}a\n`,
    dots: `import ${'.'.repeat(500_000)}a\n`,
    parts: `from . import ${'a.'.repeat(20_000)}a\n`,
  };
  for (const [name, text] of Object.entries(scripts)) {
    const folder = makeFolder(t, { 'tool.py': text });
    const ms = await cpuTime(() => cover(folder, ['/usr/bin/python3', 'tool.py']));
    assert.ok(ms < 1_000, `${name}: ${Math.round(ms)} ms`);
  }
});
