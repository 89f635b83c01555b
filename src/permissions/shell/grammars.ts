import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Parser } from '@vscode/tree-sitter-wasm';

/** The languages whose grammars ship with the extension. */
export type Grammar = 'bash' | 'powershell';

const loading = new Map<Grammar, Promise<Parser | undefined>>();

/** A parser for the language, loaded on the first call. Undefined if it can't be loaded. */
export function loadGrammar(grammar: Grammar): Promise<Parser | undefined> {
  const known = loading.get(grammar);
  if (known !== undefined) return known;
  const parser = load(grammar).catch(() => undefined);
  loading.set(grammar, parser);
  return parser;
}

async function load(grammar: Grammar): Promise<Parser> {
  runtime ??= loadRuntime();
  const { Parser, Language } = await runtime;
  const parser = new Parser();
  parser.setLanguage(await Language.load(readFileSync(find(`tree-sitter-${grammar}.wasm`))));
  return parser;
}

type Runtime = typeof import('@vscode/tree-sitter-wasm');

let runtime: Promise<Runtime> | undefined;

/** Loads the runtime from next to the bundle, or from the package when running from source. */
async function loadRuntime(): Promise<Runtime> {
  // The loader is a CommonJS script that uses its own file name, which nothing else defines in a
  // bundle.
  const own = fileURLToPath(import.meta.url);
  Object.assign(globalThis, { __filename: own, __dirname: own.replace(/[\\/][^\\/]+$/, '') });
  const module = await import('@vscode/tree-sitter-wasm');
  const loaded = 'default' in module ? (module.default as Runtime) : module;
  await loaded.Parser.init({
    wasmBinary: readFileSync(find('tree-sitter.wasm')),
  } as object as never);
  Reflect.deleteProperty(globalThis, '__filename');
  Reflect.deleteProperty(globalThis, '__dirname');
  return loaded;
}

function find(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}`, import.meta.url));
  if (existsSync(beside)) return beside;
  const entry = createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm');
  return entry.replace(/[^\\/]+$/, name);
}
