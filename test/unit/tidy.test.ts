import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DIALECT_IDS } from '../../src/base/tools/dialectFacts.ts';
import { HOST_TOOL_IDS, LOCKED_IDS } from '../../src/base/tools/toolFacts.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** What lies at the top; a new name here is a decision, not an accident. */
const TOP_LEVEL = new Set([
  ...[
    'src',
    'media',
    'schemas',
    'docs',
    'test',
    'bench',
    'build',
    'l10n',
    '.vscode',
    '.ci',
    '.github',
  ],
  ...['package.json', 'package-lock.json', 'package.nls.json', 'tsconfig.json', 'esbuild.mjs'],
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'LICENSE'],
  ...['.gitignore', '.vscodeignore'],
]);

/** Modules that only some folders may load. */
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  vscode: ['extension'],
  'node:sqlite': ['recorder'],
  '@agentclientprotocol/sdk': ['acp', 'host', 'extension'],
};

/** Marks that switch a check or a test off. */
const SWITCHED_OFF: readonly RegExp[] = [
  /@ts-(?:ignore|nocheck|expect-error)/,
  /\b(?:test|it|suite|describe)\.(?:skip|only|todo)\b/,
  /\b(?:skip|todo|only): ?(?:true|['"`])/,
  /\bt(?:est)?\.(?:skip|todo)\(/,
  /\bthis\.skip\(/,
];

/** Quick picks whose rows have texts of the product only. */
const ONLY_OWN_ROWS = new Set([
  'src/extension/editor.ts',
  ...[
    'declared/newTool',
    'rules/importRules',
    'rules/explain/explainPermission',
    'setup/searchKey',
  ].map((file) => `src/extension/${file}.ts`),
]);

interface Source {
  readonly file: string;
  readonly text: string;
}

interface Import {
  readonly file: string;
  /** Folder of `src` that the file lies in. */
  readonly folder: string;
  readonly specifier: string;
  /** Path under `src` for a relative import. */
  readonly target: string | undefined;
}

// Whoever owns the checkout: git would not look into somebody else's by itself.
const LIST = ['-c', 'safe.directory=*', 'ls-files', '-z'];
const FILES = execFileSync('git', LIST, { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && existsSync(path.join(ROOT, file)));
const SOURCES: readonly Source[] = FILES.filter(
  (file) => /\.(?:ts|tsx|mjs)$/.test(file) && !file.startsWith('test/fixtures/'),
).map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }));
const IMPORTS = SOURCES.filter(({ file }) => file.startsWith('src/')).flatMap(importsOf);

test('nothing new lies at the top level', () => {
  const names = new Set(FILES.map((file) => file.split('/')[0] ?? ''));
  assert.deepEqual(
    [...names].filter((name) => !TOP_LEVEL.has(name)),
    [],
  );
});

test('vscode, SQLite and the protocol library are loaded in their folders only', () => {
  const broken = IMPORTS.filter(({ folder, specifier }) =>
    Object.entries(ONLY_IN).some(
      ([name, folders]) =>
        (specifier === name || specifier.startsWith(`${name}/`)) && !folders.includes(folder),
    ),
  );
  assert.deepEqual(broken.map(describe), []);
});

test('SQLite is loaded in one file', () => {
  const files = new Set(
    IMPORTS.filter(({ specifier }) => specifier === 'node:sqlite').map(({ file }) => file),
  );
  assert.equal(files.size, 1, [...files].join(', '));
});

test('programs are started in one file, and threads in one', () => {
  const loaders = (name: string) =>
    SOURCES.filter(({ file, text }) => file.startsWith('src/') && loads(text, name)).map(
      ({ file }) => file,
    );
  assert.deepEqual(loaders('child_process'), [
    // Starts the host itself, from the editor's process, which loads nothing of the runtime.
    'src/extension/host/hostSpawn.ts',
    'src/runtime/commands/startProgram.ts',
  ]);
  assert.deepEqual(loaders('worker_threads'), [
    // The programs of threads start none.
    'src/declared/schemas/schemaWorker.ts',
    'src/recorder/file/repairWorker.ts',
    'src/runtime/workers/folderWorker.ts',
    'src/runtime/workers/runWorker.ts',
    'src/tools/locked/page/pageWorker.ts',
  ]);
});

test('every export has a user, or is a type that its own file uses', () => {
  const used = new Set(SOURCES.flatMap(usesOf));
  const unused = SOURCES.filter(({ file }) => file.startsWith('src/')).flatMap(({ file, text }) =>
    [...text.matchAll(EXPORT)]
      .map(([, kind, name = '']) => ({ kind, name }))
      .filter(({ name }) => !used.has(`${file} ${name}`) && !used.has(`${file} *`))
      // Whoever calls the file's functions may have to name what they take and give.
      .filter(({ kind, name }) => !/interface|type/.test(kind ?? '') || countOf(text, name) === 1)
      .map(({ name }) => `${file} ${name}`),
  );
  assert.deepEqual(
    unused.filter((each) => !CALLED_FROM_OUTSIDE.includes(each)),
    [],
  );
});

test('base is built on Node alone, and the webview on no part of Node', () => {
  const broken = IMPORTS.filter(({ folder, specifier, target }) => {
    if (folder === 'base') return target === undefined && !specifier.startsWith('node:');
    return folder === 'webview' && specifier.startsWith('node:');
  });
  assert.deepEqual(broken.map(describe), []);
});

test('tools reach the world through their runtime alone, and run through one door (C-6)', () => {
  const world = /^(node:(fs|child_process|net|https?|http2|dns|tls|dgram|os)\b|undici)/;
  const tools = SOURCES.filter(({ file }) => file.startsWith('src/tools/'));
  const reaching = tools.filter(({ text }) =>
    /(?<![.\w])fetch\(|process\.(env|cwd|kill)\b/.test(text),
  );
  const callers = SOURCES.filter(
    ({ file, text }) => file.startsWith('src/') && /\btool\.execute\(/.test(text),
  );
  assert.deepEqual(
    IMPORTS.filter(({ folder, specifier }) => folder === 'tools' && world.test(specifier)).map(
      describe,
    ),
    [],
  );
  assert.deepEqual(
    reaching.map(({ file }) => file),
    [],
  );
  // The second hands on what the door gave it, to a manifest's tool that is loaded late.
  assert.deepEqual(
    callers.map(({ file }) => file),
    ['src/declared/load.ts', 'src/tools/callTool.ts'],
  );
});

test('imports of our own files name the file', () => {
  const broken = IMPORTS.filter(
    ({ folder, specifier, target }) =>
      target !== undefined &&
      !/\.(?:tsx?|json|css)$/.test(specifier) &&
      // A bundle that is loaded on first use lies beside the extension's own, by its built name.
      !(folder === 'extension' && /^\.\/(?:acpClient|languageClient)\.cjs$/.test(specifier)),
  );
  assert.deepEqual(broken.map(describe), []);
});

test('no file of the product is longer than 300 lines, empty ones not counted', () => {
  const long = SOURCES.filter(({ file, text }) => file.startsWith('src/') && !isTable(file, text))
    .map(({ file, text }) => ({
      file,
      lines: text.split('\n').filter((line) => line.trim()).length,
    }))
    .filter(({ lines }) => lines > 300);
  assert.deepEqual(long, []);
});

test('no check and no test is switched off', () => {
  const found = SOURCES.filter(({ file }) => file !== 'test/unit/tidy.test.ts').flatMap(
    ({ file, text }) =>
      SWITCHED_OFF.flatMap((mark) => {
        const [match] = mark.exec(text) ?? [];
        return match === undefined ? [] : [`${file}: ${match}`];
      }),
  );
  assert.deepEqual(found, []);
});

test('a lint rule is only silenced with a reason', () => {
  const found = SOURCES.flatMap(({ file, text }) =>
    [...text.matchAll(/biome-ignore[^\n]*/g)]
      .map(([line]) => line)
      .filter((line) => !/biome-ignore(?:-\w+)? \S+: \S+/.test(line))
      .map((line) => `${file}: ${line}`),
  );
  assert.deepEqual(
    found.filter((line) => !line.startsWith('test/unit/tidy.test.ts')),
    [],
  );
});

test('no word of a manager, helper or utility is a file name', () => {
  const vague = /(?:manager|helper|util|common|misc|handler)s?\.tsx?$/i;
  assert.deepEqual(
    SOURCES.map(({ file }) => file).filter((file) => file.startsWith('src/') && vague.test(file)),
    [],
  );
});

test('rows of quick picks show what others wrote without icons', () => {
  const picks = SOURCES.filter(({ file, text }) => {
    const isPick = /\b(?:showQuickPick|createQuickPick)[<(]/.test(text);
    return isPick && file.startsWith('src/') && !ONLY_OWN_ROWS.has(file);
  });
  const plain = picks.filter(({ text }) => /\btoPlain(?:Label|Row)\b/.test(text));
  assert.deepEqual(plain.length > 0 && picks.filter((each) => !plain.includes(each)), []);
});

test('what differs between locked tools stands in the table of tool facts', () => {
  const compared = new RegExp(
    `\\b(?:tool|toolId|toolName|id|permission)\\s*[!=]==\\s*'(?:${LOCKED_IDS.join('|')})'`,
  );
  const files = SOURCES.filter(({ file, text }) => file.startsWith('src/') && compared.test(text));
  assert.deepEqual(
    files.map(({ file }) => file),
    [],
  );
});

test('the id of a tool outside the locked set appears only in its facts and its own folder', () => {
  const ids = HOST_TOOL_IDS.filter((id) => !LOCKED_IDS.includes(id));
  // A built-in agent names the tools that it has, and `lsp` is also the ending of Lisp files.
  const own =
    /^src\/(?:base\/tools\/toolFacts\.ts|tools\/(?:clone|language|patch|plan|overview)\/|agentDefinitions\/builtIn\.ts|permissions\/shell\/ripgrepTypes\.ts)/;
  const files = SOURCES.filter(({ file }) => file.startsWith('src/') && !own.test(file))
    .filter(({ text }) => ids.some((id) => new RegExp(`\\b${id}\\b`).test(text)))
    .map(({ file }) => file);
  assert.deepEqual(files, []);
});

test('dialect ids appear only in their table and their own folders', () => {
  const literal = new RegExp(`['"\`](?:${DIALECT_IDS.join('|')})['"\`]`);
  const own = new RegExp(`^src/declared/(?:${DIALECT_IDS.join('|')})/`);
  const files = SOURCES.map(({ file, text }) => ({ file, found: literal.exec(text)?.[0] }))
    .filter(({ file, found }) => file.startsWith('src/') && found !== undefined)
    .map(({ file }) => file)
    .filter((file) => !own.test(file));
  assert.deepEqual(files, ['src/base/tools/dialectFacts.ts']);
});

test('no two exported types share a name', () => {
  const files = new Map<string, string[]>();
  for (const { file, text } of SOURCES.filter((source) => source.file.startsWith('src/'))) {
    for (const [, name = ''] of text.matchAll(/^export (?:interface|type|class) (\w+)/gm)) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  const shared = [...files].filter(([, places]) => places.length > 1);
  assert.deepEqual(shared, []);
});

test('every locked package comes from the public registry and has a checksum', () => {
  const lock: { packages: Record<string, { resolved?: string; integrity?: string }> } = JSON.parse(
    readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'),
  );
  const foreign = Object.entries(lock.packages).filter(
    ([name, { resolved = 'https://registry.npmjs.org/', integrity }]) =>
      name !== '' && (!resolved.startsWith('https://registry.npmjs.org/') || !integrity),
  );
  assert.deepEqual(foreign, []);
});

test('every picture the README shows is there', () => {
  const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, file = '']) => file);
  assert.ok(pictures.length > 0);
  assert.deepEqual(
    pictures.filter((file) => !FILES.includes(file)),
    [],
  );
});

test('every promise of SECURITY.md names files that test it', () => {
  const security = readFileSync(path.join(ROOT, 'SECURITY.md'), 'utf8');
  const [, ...promises] = [...security.matchAll(/^\| (?!---)(.+) \| (.+) \|$/gm)];
  assert.ok(promises.length > 0);
  const empty = promises.filter(([, , named = '']) => {
    const files = [...named.matchAll(/`([^`]+)`/g)].map(([, file]) => `test/${file}`);
    return files.length === 0 || files.some((file) => !FILES.includes(file));
  });
  assert.deepEqual(
    empty.map(([row]) => row),
    [],
  );
});

test('every dependency has an exact version', () => {
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(
    readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
  );
  const loose = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
  );
  assert.deepEqual(loose, []);
});

/** Exports whose users no import shows. */
const CALLED_FROM_OUTSIDE = [
  'src/extension/extension.ts activate',
  'src/extension/extension.ts deactivate',
  // One file of the reply to a review, by whichever side reads it.
  'src/diff/fileChange.ts ApprovedFile',
];

const EXPORT = /^export (?:async )?(const|let|function\*?|class|interface|type) (\w+)/gm;

/** What a file imports of other files, as `file name`; `*` for all of them. */
function usesOf({ file, text }: Source): readonly string[] {
  const resolve = (specifier = '') => path.posix.join(path.posix.dirname(file), specifier);
  const fromStatements = [
    ...text.matchAll(/\b(?:import|export)\s([^;'"`]*?)\bfrom\s*'(\.[^']+)'/g),
  ].flatMap(([, names = '', specifier]) =>
    (names.includes('*') ? ['*'] : splitNames(names)).map(
      (name) => `${resolve(specifier)} ${name}`,
    ),
  );
  const calls = /(?:\{([^{}]*)\}\s*=\s*await\s+)?\bimport\(\s*'(\.[^']+)'\s*\)/g;
  const fromCalls = [...text.matchAll(calls)].flatMap(([, names, specifier]) =>
    (names === undefined ? ['*'] : splitNames(names)).map(
      (name) => `${resolve(specifier)} ${name}`,
    ),
  );
  return [...fromStatements, ...fromCalls];
}

/** `{ type a, b as c }` and `{ a: b }` import `a` and `b`, `a`. */
function splitNames(names: string): readonly string[] {
  return names
    .replace(/[{}]/g, '')
    .split(',')
    .map(
      (each) =>
        each
          .trim()
          .replace(/^type\s+/, '')
          .split(/[\s:]/)[0] ?? '',
    )
    .filter((name) => name !== '');
}

function countOf(text: string, name: string): number {
  return text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
}

/** Whether a file gets more than types from a module of Node, in whatever way. */
function loads(text: string, name: string): boolean {
  const values = text.replace(/^import type [^;]*;$/gm, '');
  return new RegExp(`['"\`](?:node:)?${name}['"\`]`).test(values);
}

/** Data of one shape has no natural border to be cut at. */
function isTable(file: string, text: string): boolean {
  return file.endsWith('Table.ts') && !/\bfunction\b|=>/.test(text);
}

function importsOf({ file, text }: Source): Import[] {
  const folder = file.split('/')[1] ?? '';
  const found = text.matchAll(
    /^\s*(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|\b(?:import|require)\(\s*['"]([^'"]+)['"]\s*\)|^\s*import\s*['"]([^'"]+)['"]/gm,
  );
  return [...found].map(([, from, called, bare]) => {
    const specifier = from ?? called ?? bare ?? '';
    const target = specifier.startsWith('.')
      ? path.posix.relative('src', path.posix.join(path.posix.dirname(file), specifier))
      : undefined;
    return { file, folder, specifier, target };
  });
}

function describe({ file, specifier }: Import): string {
  return `${file} imports ${specifier}`;
}
