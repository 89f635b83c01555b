import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, type Metafile } from 'esbuild';
import { importUsedZod } from '../../../build/usedZod.mjs';
import { ROOT } from '../../workbench/paths.ts';

/** What the host loads until it has answered the first `session/load`. */
const ENTRIES: readonly string[] = [
  'src/host/cli/main.ts',
  'src/host/cli/acp.ts',
  'src/host/services/hostServices.ts',
  'src/host/session/sessions.ts',
  'src/host/front/extensionMethods.ts',
  'src/host/front/publishCommands.ts',
  'src/host/session/stored/watchStored.ts',
];
/** Bytes of it. Each takes processor time of a window that opens. */
const MOST = 800_000;

async function bundle(): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { main: 'src/host/cli/main.ts' },
    absWorkingDir: ROOT,
    outdir: 'dist/host',
    ...{ bundle: true, splitting: true, minify: true, metafile: true, write: false },
    ...{ platform: 'node', format: 'esm', target: 'node22', logLevel: 'error' },
    mainFields: ['module', 'main'],
    external: ['@vscode/ripgrep'],
    plugins: [importUsedZod()],
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return metafile;
}

/** The files of the bundle that are loaded for these sources, without those that load later. */
function findLoaded({ outputs }: Metafile, entries: readonly string[]): ReadonlySet<string> {
  const loaded = new Set<string>();
  const load = (name: string) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { kind, path, external } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) load(path);
  };
  for (const [name, { entryPoint = '' }] of Object.entries(outputs))
    if (entries.includes(entryPoint)) load(name);
  return loaded;
}

function findSources({ outputs }: Metafile, files: Iterable<string>): readonly string[] {
  return [...files].flatMap((file) =>
    Object.entries(outputs[file]?.inputs ?? {}).flatMap(([source, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [source] : [],
    ),
  );
}

test('a host that opens a session loads neither the gate nor what asks models', async () => {
  const metafile = await bundle();
  const loaded = findLoaded(metafile, ENTRIES);
  const sources = findSources(metafile, loaded);
  for (const entry of ENTRIES) assert.ok(sources.includes(entry), entry);
  const LATER =
    /src\/(?:gate\/passGate|permissions\/shell|agent\/endpoint)|node_modules\/(?:unbash|ai)\//;
  assert.deepEqual(
    sources.filter((source) => LATER.test(source)),
    [],
  );
  const bytes = [...loaded].reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0);
  assert.ok(bytes <= MOST, `${bytes} bytes`);
  const all = findSources(metafile, Object.keys(metafile.outputs));
  const languages = all.filter((source) => /zod\/v4\/locales\/(?!en\.|index\.)/.test(source));
  assert.deepEqual(languages, []);
});
