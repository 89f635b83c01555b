import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServerStart } from '../../../src/host/services/serverStart.ts';
import { resolveWindowsProgram } from '../../../src/mcp/connect/windowsProgram.ts';

const NODE = 'C:\\Program Files\\nodejs';
const GLOBAL = 'C:\\Users\\a\\AppData\\Roaming\\npm';

/** As Node's installer writes it. */
const NPX = String.raw`:: Created by npm, please don't edit manually.
@ECHO OFF

SETLOCAL

SET "NODE_EXE=%~dp0\node.exe"
IF NOT EXIST "%NODE_EXE%" (
  SET "NODE_EXE=node"
)

SET "NPM_PREFIX_JS=%~dp0\node_modules\npm\bin\npm-prefix.js"
SET "NPX_CLI_JS=%~dp0\node_modules\npm\bin\npx-cli.js"
FOR /F "delims=" %%F IN ('CALL "%NODE_EXE%" "%NPM_PREFIX_JS%"') DO (
  SET "NPM_PREFIX_NPX_CLI_JS=%%F\node_modules\npm\bin\npx-cli.js"
)
IF EXIST "%NPM_PREFIX_NPX_CLI_JS%" (
  SET "NPX_CLI_JS=%NPM_PREFIX_NPX_CLI_JS%"
)

"%NODE_EXE%" "%NPX_CLI_JS%" %*
`;

/** As npm writes it for a package. */
const SHIM = String.raw`@ECHO off
GOTO start
:find_dp0
SET dp0=%~dp0
EXIT /b
:start
SETLOCAL
CALL :find_dp0

IF EXIST "%dp0%\node.exe" (
  SET "_prog=%dp0%\node.exe"
) ELSE (
  SET "_prog=node"
  SET PATHEXT=%PATHEXT:;.JS;=;%
)

endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\node_modules\server-x\dist\index.js" %*
`;

const FILES: Readonly<Record<string, string>> = {
  [`${NODE}\\node.exe`]: '',
  [`${NODE}\\npx.cmd`]: NPX,
  [`${NODE}\\npx`]: '#!/bin/sh',
  [`${NODE}\\node_modules\\npm\\bin\\npx-cli.js`]: '',
  [`${GLOBAL}\\server-x.cmd`]: SHIM,
  [`${GLOBAL}\\node_modules\\server-x\\dist\\index.js`]: '',
  [`${GLOBAL}\\odd.cmd`]: '@echo off\r\npython "%~dp0\\x.py" %*\r\n',
  [`${GLOBAL}\\evil.cmd`]: SHIM.replace('server-x', '%COMSPEC%'),
  'C:\\tools\\uvx.exe': '',
  'C:\\work\\bin\\run.exe': '',
  'C:\\work\\node.exe': '',
};

const lookup = {
  env: { Path: `${NODE};${GLOBAL};C:\\tools;.`, PATHEXT: '.COM;.EXE;.BAT;.CMD' },
  cwd: 'C:\\work',
  isFile: (file: string) => Object.hasOwn(FILES, file),
  read: (file: string) => FILES[file] ?? '',
};

const SCRIPTS = { npx: `${NODE}\\node_modules\\npm\\bin\\npx-cli.js` };

for (const [what, argv, expected] of [
  ['npx', ['npx', '-y', 'a & b'], [`${NODE}\\node.exe`, SCRIPTS.npx, '-y', 'a & b']],
  ['npx.cmd', ['npx.cmd'], [`${NODE}\\node.exe`, SCRIPTS.npx]],
  [
    'the batch file of a package',
    ['server-x', '%PATH%'],
    [`${NODE}\\node.exe`, `${GLOBAL}\\node_modules\\server-x\\dist\\index.js`, '%PATH%'],
  ],
  ['a program on PATH', ['uvx', 'x'], ['C:\\tools\\uvx.exe', 'x']],
  ['a relative path', ['bin/run', 'x'], ['C:\\work\\bin\\run.exe', 'x']],
  ['what is nowhere', ['absent', 'x'], ['absent', 'x']],
] as const) {
  test(`issue 18: on Windows an MCP server starts without a shell: ${what}`, () => {
    assert.deepEqual(resolveWindowsProgram(argv, lookup), { ok: true, data: expected });
  });
}

test('issue 18: a batch file that runs no script of Node is not started, and the error says what to do', () => {
  for (const name of ['odd', 'evil']) {
    const resolved = resolveWindowsProgram([name], lookup);
    assert.match(resolved.ok ? 'ok' : resolved.error, /is a batch file, which only a shell can/);
  }
});

test('issue 18: no program of the workspace stands for a name, and a lookup without variables finds none', () => {
  const found = resolveWindowsProgram(['node'], { ...lookup, env: { PATH: '.;bin' } });
  assert.deepEqual(found, { ok: true, data: ['node'] });
  assert.deepEqual(resolveWindowsProgram(['node'], { ...lookup, env: {} }).ok, true);
});

test('issue 18: the start of a server resolves its program on Windows only', async () => {
  const how = {
    ...{ type: 'stdio' as const, argv: ['npx', 'x'] as const, env: {}, cwd: 'C:\\work' },
    ...{ hosts: [], sandbox: false },
  };
  const server = { name: 'srv', origin: 'session' as const, file: '', how, shown: '', hash: '' };
  const start = async (platform: NodeJS.Platform) => {
    const prepare = createServerStart({
      ...{ env: lookup.env, platform, lookup },
      settings: () => ({ sandboxMode: 'off', passedVariables: [] }) as never,
      copies: () => Promise.reject(new Error('none')),
      confinement: { start: () => Promise.reject(new Error('none')) as never },
    });
    const prepared = await prepare({ ...server, timeoutMs: 1 }, ['C:\\work']);
    return prepared.ok ? prepared.data.launch.argv : prepared.error;
  };
  assert.deepEqual(await start('win32'), [`${NODE}\\node.exe`, SCRIPTS.npx, 'x']);
  assert.deepEqual(await start('linux'), ['npx', 'x']);
});
