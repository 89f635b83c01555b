import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { PROVIDER_IDS } from '../../src/agent/models/provider.ts';
import { LOCKED_IDS } from '../../src/base/tools/toolFacts.ts';
import { run } from '../../src/host/cli/commands.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
const README = read('README.md');
const MANIFEST = JSON.parse(read('package.json'));
const TITLES = new Set<string>(Object.values(JSON.parse(read('package.nls.json'))));

/** All places of a pattern: their first group. */
function findAll(pattern: RegExp, text = README): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

test('README names settings that exist', () => {
  const settings = MANIFEST.contributes.configuration.flatMap(
    ({ properties }: { properties: object }) => Object.keys(properties),
  );
  const named = findAll(/["`](gatehouse\.[a-zA-Z.]+)/g);
  assert.ok(named.length > 10);
  const unknown = named.filter(
    (name) =>
      !settings.some((each: string) => each === name || each.startsWith(name.replace(/\.?$/, '.'))),
  );
  assert.deepEqual(unknown, []);
});

test('README names commands and views that exist', () => {
  const named = findAll(/\*+Gatehouse:\s([^*]+)\*/g).map((title) => title.replace(/\s+/g, ' '));
  assert.ok(named.length > 5);
  // VS Code makes a command of each view.
  const toView = (title: string) => /^Focus on (.+) View$/.exec(title)?.[1] ?? title;
  assert.deepEqual(
    named.filter((title) => !TITLES.has(toView(title))),
    [],
  );
  for (const view of ['Sessions', 'Permissions', 'Tools']) assert.ok(TITLES.has(view), view);
});

test('README names scripts and files that exist, and says how to install the package', () => {
  const scripts = findAll(/npm (?:run )?(start|test|(?<=run )[\w:]+)/g);
  assert.ok(scripts.includes('start') && scripts.includes('package'));
  assert.deepEqual(
    scripts.filter((name) => MANIFEST.scripts[name] === undefined),
    [],
  );
  const links = findAll(/\]\((?!https?:)([^)#]+)\)/g);
  assert.deepEqual(
    links.filter((file) => !existsSync(path.join(ROOT, file))),
    [],
  );
  const [vsix = ''] = findAll(/code --install-extension (\S+)/g);
  assert.ok(MANIFEST.scripts.package.endsWith(`-o ${vsix}`), vsix);
  const [, id] = /--uninstall-extension (\S+?)`/.exec(README.replace(/\s+/g, ' ')) ?? [];
  assert.equal(id, `${MANIFEST.publisher}.${MANIFEST.name}`);
});

test('README names the versions that the package and the launcher ask for', () => {
  const [editor] = findAll(/VS Code (\d[\d.]*) or newer/g);
  assert.equal(MANIFEST.engines.vscode, `^${editor}.0`);
  const nodes = new Set(findAll(/Node (\d[\d.]*) or newer/g));
  const [, launcher = ''] = /NODE_FLOOR = '(\d+\.\d+)/.exec(read('esbuild.mjs')) ?? [];
  assert.deepEqual(nodes, new Set([MANIFEST.engines.node.replace('>=', ''), launcher]));
});

test('README names each default of VS Code that the package changes, and no other', () => {
  const changed = Object.keys(MANIFEST.contributes.configurationDefaults);
  const ofTheEditor = changed.filter((key) => !key.startsWith('[gatehouse-'));
  assert.deepEqual(new Set(findAll(/`(diffEditor\.[a-zA-Z.]+)`/g)), new Set(ofTheEditor));
});

test('README lists each provider, and tools that exist', () => {
  const table = README.slice(README.indexOf('| `gatehouse.model.provider` |'));
  const rows = findAll(/^\| (`.*?) \|/gm, table.slice(0, table.indexOf('\n\n'))).slice(1);
  assert.deepEqual(new Set(findAll(/`([^`]+)`/g, rows.join())), new Set(PROVIDER_IDS));
  const [tools = ''] = findAll(/`permission` is a tool \((.*?)…/g);
  const unknown = findAll(/`([^`]+)`/g, tools).filter((id) => !LOCKED_IDS.includes(id));
  assert.deepEqual(unknown, []);
  assert.ok(README.includes(`the ${LOCKED_IDS.length} locked ones`));
});

test('README lists commands of the command line with options that their help names', async () => {
  const table = README.slice(README.indexOf('| Command | Description |'));
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2);
  assert.ok(rows.length > 10);
  for (const row of rows) {
    const [words = ''] = findAll(/^\| `gatehouse ([a-z]+)/g, row);
    const help = await getHelp(words);
    const helps = [help, ...(await Promise.all(findAll(/, `([a-z]+) [^`]*--/g, row).map(getHelp)))];
    const missing = findAll(/(--[a-z-]+)/g, row).filter(
      (option) => !helps.some((each) => each.includes(option)),
    );
    assert.deepEqual(missing, [], row);
    const [sub = ''] = findAll(/^\| `gatehouse (?:sessions|rules) ([a-z]+)/g, row);
    assert.ok(help.includes(sub), row);
  }
});

async function getHelp(command: string): Promise<string> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const args = [command, '--help'];
  const io = { args, stdin: Readable.from([]), stdout, stderr, env: {}, cwd: ROOT };
  assert.equal(await run(io), 0, command);
  return String(stdout.read() ?? '');
}
