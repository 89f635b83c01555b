import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { transform } from 'esbuild';

/** The text of a file, instead of what is on disk. */
export interface Change {
  readonly file: string;
  readonly text: string;
}

export interface Modules {
  /** Loads a file with all that it imports. Throws what it throws. */
  load(file: string): Promise<void>;
}

type Exports = Record<string, unknown>;
type Body = (
  module: { exports: Exports },
  exports: Exports,
  require: (specifier: string) => unknown,
  dirname: string,
  url: string,
) => void;

interface Compiled {
  readonly body: Body;
  readonly imports: readonly string[];
}

interface Loaded {
  readonly module: { exports: Exports };
  /** Whether the engine or a test is in it, so that every trial needs one of its own. */
  own: boolean;
}

const PERMISSIONS = path.resolve(import.meta.dirname, '../../src/permissions') + path.sep;
/** A parser that takes long to load, and keeps nothing of what it parsed. */
const GRAMMARS = path.join(PERMISSIONS, 'shell/grammars.ts');

const compiled = new Map<string, Compiled>();
const shared = new Map<string, Loaded>();

/**
 * The modules of one trial. Each file is compiled once; a trial only runs its top level again, which
 * takes a hundredth of loading it anew. `builtins` replaces modules of Node. Throws if the changed
 * file is no TypeScript.
 */
export async function createModules(
  change: Change,
  builtins: Readonly<Record<string, unknown>>,
): Promise<Modules> {
  const changed = await compile(change.file, change.text);
  const loaded = new Map<string, Loaded>();
  const find = (file: string) => (file === change.file ? changed : compiled.get(file));

  function load(file: string): Loaded {
    const known = loaded.get(file) ?? (file === change.file ? undefined : shared.get(file));
    if (known !== undefined) return known;
    const body = find(file)?.body;
    if (body === undefined) throw new Error(`${file} is not compiled.`);
    const own = file.startsWith(PERMISSIONS) && (file !== GRAMMARS || file === change.file);
    const each: Loaded = { module: { exports: {} }, own: own || file.endsWith('.test.ts') };
    loaded.set(file, each);
    const installed = createRequire(file);
    const require = (specifier: string) => {
      if (Object.hasOwn(builtins, specifier)) {
        each.own = true;
        return builtins[specifier];
      }
      if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) return installed(specifier);
      const found = load(path.resolve(path.dirname(file), specifier));
      each.own ||= found.own;
      return found.module.exports;
    };
    const { module } = each;
    body(module, module.exports, require, path.dirname(file), pathToFileURL(file).href);
    if (!each.own) shared.set(file, each);
    return each;
  }

  return {
    async load(file) {
      await prepare([file, ...changed.imports]);
      load(file);
    },
  };
}

/** Compiles the files and all that they import. */
async function prepare(files: readonly string[]): Promise<void> {
  for (const file of files) {
    if (compiled.has(file)) continue;
    const found = await compile(file, readFileSync(file, 'utf8'));
    compiled.set(file, found);
    await prepare(found.imports);
  }
}

async function compile(file: string, text: string): Promise<Compiled> {
  const { code } = await transform(text, {
    loader: 'ts',
    format: 'cjs',
    target: 'esnext',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__url' },
    logLevel: 'silent',
  });
  const names = ['module', 'exports', 'require', '__dirname', '__url'];
  const imports = [...code.matchAll(/require\("(\.[^"]+\.ts)"\)/g)];
  return {
    body: compileFunction(code, names, { filename: file }) as Body,
    imports: imports.map(([, name = '']) => path.resolve(path.dirname(file), name)),
  };
}
