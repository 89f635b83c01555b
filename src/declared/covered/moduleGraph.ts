import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRegular } from '../../base/disk/readRegular.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { MB } from '../../base/units.ts';
import { findImportNames } from './importNames.ts';
import { createLookUps, LOOK_UPS, type LookUps } from './lookUps.ts';
import { getPackageName, listStrings, mapByConfig, mapByPackage } from './mappedNames.ts';
import { findScriptNames, getKind, listFiles, type ScriptKind } from './scriptNames.ts';

/** The most modules that one manifest may run. */
const MODULES = 5_000;

/** The longest script whose imports are read. Bytes. */
const SCRIPT_BYTES: Readonly<Record<ScriptKind, number>> = {
  modules: 16 * MB,
  python: 4 * MB,
  shell: 4 * MB,
};

/** What a runtime may add to a specifier. */
const ENDINGS = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json', '.node'];

/**
 * The files that the scripts import, source or start, directly or not, found by the names in their text. In modules
 * everything that starts with `./` or `../` and exists counts, whatever it is used for, and so does everything that is
 * imported by another name. Names that a program computes can't be found. `folders`: where the scripts may be started.
 * Real, absolute paths.
 */
export async function listModules(
  roots: ReadonlyMap<string, ScriptKind>,
  folders: readonly string[],
): Promise<Outcome<readonly string[]>> {
  const lookUps = createLookUps();
  const found = new Set<string>();
  const kinds = new Map(
    [...roots].flatMap(([file, kind]) => lookUps.toRealFile(file).map((real) => [real, kind])),
  );
  const open = [...kinds.keys()];
  const others = [...new Set([...open.map((file) => path.dirname(file)), ...folders])];
  const resolved = new Set<string>();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    if (found.size > MODULES) return failure(`The tools import more than ${MODULES} files.`);
    const kind = kinds.get(file) ?? getKind(path.basename(file) === 'package.json' ? '.js' : file);
    if (kind === undefined) continue;
    const names = getNames(file, kind);
    if (!names.ok) return names;
    const folder = path.dirname(file);
    for (const name of names.data) {
      const key = JSON.stringify([kind, folder, name]);
      if (resolved.has(key)) continue;
      resolved.add(key);
      if (!lookUps.spend()) return failure(TOO_MUCH);
      open.push(
        ...(kind === 'modules'
          ? resolveName(folder, name, lookUps)
          : listFiles(name, folder, others).flatMap(lookUps.toRealFile)),
      );
      await lookUps.pause();
    }
  }
  return lookUps.spend(0) ? success([...found]) : failure(TOO_MUCH);
}

const TOO_MUCH = `Finding what the tools import takes more than ${LOOK_UPS} look-ups.`;

/** The names in each file, by how it is read, until its metadata changes. */
const known = new Map<string, { readonly facts: string; readonly names: readonly string[] }>();

/** The names that a module or a `package.json` gives to other files. One may have been created or removed since. */
function getNames(file: string, kind: ScriptKind): Outcome<readonly string[]> {
  const facts = readFacts(file);
  const key = `${kind} ${file}`;
  const cached = known.get(key);
  if (facts !== undefined && cached?.facts === facts) return success(cached.names);
  const names = readNames(file, kind);
  if (names.ok && facts !== undefined) known.set(key, { facts, names: names.data });
  return names;
}

function readFacts(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
}

function resolveName(folder: string, name: string, lookUps: LookUps): readonly string[] {
  if (name.startsWith('.')) return resolveRelative(folder, name, lookUps);
  if (name.startsWith('file:')) {
    return URL.canParse(name) ? resolveRelative('/', toPath(name), lookUps) : [];
  }
  if (path.isAbsolute(name)) return resolveRelative('/', name, lookUps);
  return resolvePackage(folder, name, lookUps);
}

function toPath(address: string): string {
  try {
    return fileURLToPath(address);
  } catch {
    // An address of another host names no file here.
    return '/';
  }
}

/** Runtimes run files that are not UTF-8 too. What can't be read here must not be run without its imports. */
function readNames(file: string, kind: ScriptKind): Outcome<readonly string[]> {
  const read = readRegular(file, SCRIPT_BYTES[kind]);
  if (read.state === 'absent') return success([]);
  if (read.state === 'unreadable') return failure(`${file} cannot be read: ${read.why}.`);
  const text = decodeSource(read.bytes);
  if (path.basename(file) === 'package.json') return success(readPackageNames(text));
  const names = new Set<string>();
  for (const name of kind === 'modules' ? findImportNames(text) : findScriptNames(text, kind)) {
    names.add(name);
    if (names.size > LOOK_UPS) return failure(TOO_MUCH);
  }
  return success([...names]);
}

function decodeSource(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}

/** The entry points of a package, by every form in which it can name them. */
function readPackageNames(text: string): readonly string[] {
  const value = parseJson(text);
  if (!isRecord(value)) return [];
  const { main = './index.js', module, exports, imports, browser } = value;
  const names = [main, module, exports, imports, browser].flatMap(listStrings);
  return names.map((name) => (name.startsWith('.') ? name : `./${name}`));
}

function resolveRelative(folder: string, name: string, lookUps: LookUps): readonly string[] {
  const target = path.resolve(folder, name);
  if (!lookUps.mayExist(target)) return [];
  const bare = target.replace(/\.[cm]?jsx?$/, '');
  return [
    target,
    ...ENDINGS.flatMap((ending) => [`${target}${ending}`, path.join(target, `index${ending}`)]),
    // TypeScript names the file that it is compiled to.
    ...(bare === target ? [] : ENDINGS.map((ending) => `${bare}${ending}`)),
    path.join(target, 'package.json'),
  ].flatMap(lookUps.toRealFile);
}

/** The description of the package, and the file in it that is imported by its path. */
function resolvePackage(folder: string, name: string, lookUps: LookUps): readonly string[] {
  const { toRealFile } = lookUps;
  const toFiles = (paths: readonly string[]) =>
    paths.flatMap((each) => (lookUps.spend() ? resolveRelative('/', each, lookUps) : []));
  const mapped = toFiles(mapByConfig(folder, name, lookUps));
  const [first = '', second = ''] = name.split('/');
  const own = first.startsWith('@') ? `${first}/${second}` : first;
  const rest = name.slice(own.length + 1);
  /** The file that is imported by its path, as the package's description maps it or not. */
  const listFiles = (home: string) => {
    if (rest === '') return [];
    const others = toFiles(mapByPackage(home, 'exports', `./${rest}`, lookUps));
    return [...resolveRelative(home, rest, lookUps), ...others];
  };
  for (let at = folder; lookUps.spend(); at = path.dirname(at)) {
    // `#name` is mapped by the nearest package itself, and a package may import itself by its name.
    const near = toRealFile(path.join(at, 'package.json'));
    if (first.startsWith('#') && near.length > 0) {
      return [...mapped, ...near, ...toFiles(mapByPackage(at, 'imports', name, lookUps))];
    }
    const home = path.join(at, 'node_modules', own);
    const found = toRealFile(path.join(home, 'package.json'));
    if (found.length > 0) return [...mapped, ...found, ...listFiles(home)];
    if (near.length > 0 && getPackageName(at, lookUps) === own) {
      return [...mapped, ...near, ...listFiles(at)];
    }
    const index = resolveRelative(home, rest === '' ? '.' : rest, lookUps);
    if (index.length > 0) return [...mapped, ...index];
    if (path.dirname(at) === at) break;
  }
  return mapped;
}
