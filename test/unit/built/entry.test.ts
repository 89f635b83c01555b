import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const entry = readFileSync('dist/extension.cjs', 'utf8');

test("the extension copies the names of the editor's API once", () => {
  assert.equal(entry.match(/require\("vscode"\)/g)?.length, 1);
});

test('no module that is slow to load is loaded with the extension', () => {
  const script = `
    const Module = require('node:module');
    const load = Module._load;
    const requests = [];
    const any = new Proxy(function () {}, {
      get: (_, key) => (key === Symbol.toPrimitive ? () => '' : any),
      construct: () => ({}),
      apply: () => any,
    });
    const types = require('node:fs').readFileSync('node_modules/@types/vscode/index.d.ts', 'utf8');
    const names = types.matchAll(/^\\texport (?:class|enum|namespace|const|let) (\\w+)/gm);
    const vscode = Object.fromEntries([...names].map(([, name]) => [name, any]));
    Module._load = (request, ...rest) => {
      requests.push(request);
      return request === 'vscode' ? vscode : load(request, ...rest);
    };
    require(require('node:path').resolve('dist/extension.cjs'));
    console.log(JSON.stringify(requests));
    process.exit(0);
  `;
  const output = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  const requests: readonly string[] = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  const slow = ['node:crypto', './acpClient.cjs', './languageClient.cjs', 'node:child_process'];
  assert.deepEqual(
    slow.filter((name) => requests.includes(name)),
    [],
  );
  assert.ok(requests.includes('vscode'));
});
