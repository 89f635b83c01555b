// Builds every entry: node esbuild.mjs [--watch] [--production]
// Only the chat's page, into another folder: node esbuild.mjs [--production] --page=FOLDER

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { context } from 'esbuild';
import { readIconNames, useIcons } from './build/iconFont.mjs';
import { importUsedZod } from './build/usedZod.mjs';

const watch = process.argv.includes('--watch');
const production = process.argv.includes('--production');
const pageFolder = process.argv.find((each) => each.startsWith('--page='))?.slice('--page='.length);

/** The host's HTTP client does not load in older versions of Node. */
const NODE_FLOOR = '22.19.0';

const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  logLevel: 'warning',
  mainFields: ['module', 'main'],
  define: { 'process.env.NODE_ENV': production ? '"production"' : '"development"' },
};

const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

const page = {
  entryPoints: {
    webview: 'src/webview/main.ts',
    outputStyler: 'src/webview/outputStyler.ts',
    lastScreen: 'src/webview/lastScreen.ts',
  },
  outdir: pageFolder ?? 'dist/webview',
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [useIcons(await readIconNames())],
  alias: { entities: './src/webview/markdown/entities.ts' },
};

const pages = [
  page,
  {
    ...page,
    entryPoints: { later: 'src/webview/later.ts' },
    globalName: 'gatehouseLater',
    plugins: [usePageModules()],
  },
  {
    ...page,
    entryPoints: { highlighter: 'src/webview/highlighter.ts' },
    // The page starts a worker from the text of this function.
    banner: { js: 'globalThis.gatehouseHighlighter = function () {' },
    footer: { js: '};' },
  },
];

/** One entry per bundle. */
const all = [
  {
    ...commonJs('extension', 'dist', ['./acpClient.cjs', './languageClient.cjs']),
    plugins: [importOnce('vscode')],
  },
  commonJs('acpClient', 'dist', ['vscode'], 'extension/host'),
  commonJs('languageClient', 'dist', ['vscode'], 'extension/declared'),
  {
    entryPoints: {
      main: 'src/host/cli/main.ts',
      pageWorker: 'src/tools/locked/page/pageWorker.ts',
      schemaWorker: 'src/declared/schemas/schemaWorker.ts',
      repairWorker: 'src/recorder/file/repairWorker.ts',
      folderWorker: 'src/runtime/workers/folderWorker.ts',
    },
    outdir: 'dist/host',
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    format: 'esm',
    target: 'node22',
    splitting: true,
    banner: { js: requireBanner },
    external: ['@vscode/ripgrep'],
    plugins: [importUsedZod()],
  },
  {
    ...commonJs('server', 'dist/language-server', [], 'language-server'),
    // It starts the host's schema worker, which it finds from its own place.
    banner: { js: "const __moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: { ...shared.define, 'import.meta.url': '__moduleUrl' },
  },
  ...pages,
];
const builds = pageFolder === undefined ? all : pages;

if (pageFolder === undefined) prepare();

const contexts = await Promise.all(builds.map((build) => context({ ...shared, ...build })));
if (watch) {
  await Promise.all(contexts.map((each) => each.watch()));
  console.log('[watch] build finished, watching');
} else {
  await Promise.all(contexts.map((each) => each.rebuild()));
  await Promise.all(contexts.map((each) => each.dispose()));
  if (pageFolder === undefined) report();
}

/** Writes what is not built. */
function prepare() {
  if (!watch) rmSync('dist', { recursive: true, force: true });
  mkdirSync('dist', { recursive: true });
  writeLauncher();
  copyAssets();
}

/** A CommonJS program for Node that the editor requires or starts. */
function commonJs(name, outdir, external, folder = 'extension') {
  return {
    entryPoints: { [name]: `src/${folder}/${name}.ts` },
    outdir,
    outExtension: { '.js': '.cjs' },
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external,
  };
}

/**
 * Imports an external module in one place. Otherwise esbuild copies all of its names for each file that
 * imports it, which took half of the time to load the extension.
 */
function importOnce(name) {
  return {
    name: 'import-once',
    setup(build) {
      const namespace = 'once';
      build.onResolve({ filter: new RegExp(`^${name}$`) }, (from) =>
        from.namespace === namespace ? { path: name, external: true } : { path: name, namespace },
      );
      build.onLoad({ filter: /^/, namespace }, () => ({ contents: `export * from '${name}';` }));
    },
  };
}

/** Makes a script of the page use the modules that the page's first one has: `src/webview/shared.ts` names them. */
function usePageModules() {
  const namespace = 'page';
  const own = /\/(state\/(?:context|subagents))\.ts$/;
  return {
    name: 'page-modules',
    setup(build) {
      build.onResolve({ filter: /^(?:markdown-it$|preact(?:\/|$))/ }, ({ path }) => ({
        path,
        namespace,
      }));
      build.onResolve({ filter: own }, ({ path }) => ({ path: own.exec(path)[1], namespace }));
      build.onLoad({ filter: /^/, namespace }, ({ path }) => ({
        contents: `module.exports = globalThis.gatehousePage[${JSON.stringify(path)}];`,
      }));
    },
  };
}

/**
 * The `gatehouse` launcher. Uses old syntax, so that an old Node prints the message instead of a
 * syntax error.
 */
function writeLauncher() {
  const floor = NODE_FLOOR.split('.').map(Number);
  writeFileSync(
    'dist/gatehouse.cjs',
    `#!/usr/bin/env node
var have = process.versions.node.split('.').map(Number);
if (have[0] < ${floor[0]} || (have[0] === ${floor[0]} && have[1] < ${floor[1]})) {
  process.stderr.write('gatehouse needs Node ${NODE_FLOOR} or newer; this is ' + process.versions.node + '.\\n');
  process.exit(2);
} else {
  import('./host/main.mjs');
}
`,
    { mode: 0o755 },
  );
}

/** Grammars loaded at run time; only the ones that ship. */
function copyAssets() {
  const from = 'node_modules/@vscode/tree-sitter-wasm/wasm';
  mkdirSync('dist/host', { recursive: true });
  for (const name of ['tree-sitter-bash.wasm', 'tree-sitter-powershell.wasm', 'tree-sitter.wasm']) {
    if (existsSync(path.join(from, name)))
      cpSync(path.join(from, name), path.join('dist/host', name));
  }
}

function report() {
  for (const folder of ['dist', 'dist/host', 'dist/webview', 'dist/language-server']) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name);
      const { size } = statSync(file);
      if (size > 100_000) console.log(`${(size / 1e6).toFixed(2)} MB  ${file}`);
    }
  }
}
