import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRegular } from '../../base/disk/readRegular.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { MB } from '../../base/units.ts';
import { getPackageName, listStrings, mapByConfig, mapByPackage } from './mappedNames.ts';

/** The most modules that one manifest may run. */
const MODULES = 5_000;

/** The longest script whose imports are read. Bytes. */
const SCRIPT_BYTES = 16 * MB;

/** Files that may import others. */
const SCRIPT = /\.[cm]?[jt]sx?$/i;

/** What a runtime may add to a specifier. */
const ENDINGS = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json', '.node'];

export function isScript(file: string): boolean {
  return SCRIPT.test(file);
}

/**
 * The files that the modules import, directly or not, found by the strings that name them: everything
 * that starts with `./` or `../` and exists counts, whatever it is used for, and so does everything that is
 * imported by another name. Names that a program computes can't be found. Real, absolute paths.
 */
export async function listModules(roots: readonly string[]): Promise<Outcome<readonly string[]>> {
  const found = new Set<string>();
  const open = roots.flatMap(toRealFile);
  const first = new Set(open);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    if (found.size > MODULES) return failure(`The tools import more than ${MODULES} files.`);
    const isRead = isScript(file) || first.has(file) || path.basename(file) === 'package.json';
    if (!isRead) continue;
    const imports = readImports(file);
    if (!imports.ok) return imports;
    open.push(...imports.data);
    // Other work of the host goes on meanwhile.
    if (found.size % 32 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return success([...found]);
}

/** The imports of each file, until its metadata changes. */
const known = new Map<string, { readonly facts: string; readonly imports: readonly string[] }>();

/** Files that a module or a `package.json` names and that exist. */
function readImports(file: string): Outcome<readonly string[]> {
  const facts = readFacts(file);
  const cached = known.get(file);
  // A cached name may have been created or removed since, so only names are cached.
  const isKnown = facts !== undefined && cached?.facts === facts;
  const names = isKnown ? success(cached.imports) : readNames(file);
  if (!names.ok) return names;
  if (facts !== undefined) known.set(file, { facts, imports: names.data });
  const folder = path.dirname(file);
  return success([...new Set(names.data)].flatMap((name) => resolveName(folder, name)));
}

function readFacts(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
}

function resolveName(folder: string, name: string): readonly string[] {
  if (name.startsWith('.')) return resolveRelative(folder, name);
  if (name.startsWith('file:')) return URL.canParse(name) ? resolveRelative('/', toPath(name)) : [];
  return path.isAbsolute(name) ? resolveRelative('/', name) : resolvePackage(folder, name);
}

function toPath(address: string): string {
  try {
    return fileURLToPath(address);
  } catch {
    // An address of another host names no file here.
    return '/';
  }
}

// Quotes are not paired, because one in a comment would hide the specifier behind it.
const RELATIVE = /(?<=['"`])\.\.?(?:[\\/][^'"`\n]*)?(?=['"`])/g;
const OTHER =
  /\b(?:from|import|require|resolve)\b(?:[\s(]|\/\*(?:[^*]|\*(?!\/)){0,200}\*\/)*['"`]([^'"`\n.][^'"`\n]*)['"`]/g;

/** Runtimes run files that are not UTF-8 too. What can't be read here must not be run without its imports. */
function readNames(file: string): Outcome<readonly string[]> {
  const read = readRegular(file, SCRIPT_BYTES);
  if (read.state === 'absent') return success([]);
  if (read.state === 'unreadable') return failure(`${file} cannot be read: ${read.why}.`);
  const text = decodeSource(read.bytes);
  if (path.basename(file) === 'package.json') return success(readPackageNames(text));
  const relative = [...text.matchAll(RELATIVE)].map(([name]) => decode(name));
  const others = [...text.matchAll(OTHER)].map(([, name = '']) => decode(name));
  return success([...relative, ...others.filter((name) => !name.startsWith('node:'))]);
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

/** Without a query, and with escapes of strings and addresses decoded. */
function decode(written: string): string {
  const plain = written
    .replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\})/gi, (_, ...digits) =>
      String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(digits.find(Boolean), 16))),
    )
    .replace(/\\(.)/g, '$1')
    .replace(/(?!^)[?#].*$/, '');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function resolveRelative(folder: string, name: string): readonly string[] {
  const target = path.resolve(folder, name);
  const bare = target.replace(/\.[cm]?jsx?$/, '');
  return [
    target,
    ...ENDINGS.flatMap((ending) => [`${target}${ending}`, path.join(target, `index${ending}`)]),
    // TypeScript names the file that it is compiled to.
    ...(bare === target ? [] : ENDINGS.map((ending) => `${bare}${ending}`)),
    path.join(target, 'package.json'),
  ].flatMap(toRealFile);
}

/** The description of the package, and the file in it that is imported by its path. */
function resolvePackage(folder: string, name: string): readonly string[] {
  const mapped = toFiles(mapByConfig(folder, name));
  const [first = '', second = ''] = name.split('/');
  const own = first.startsWith('@') ? `${first}/${second}` : first;
  const rest = name.slice(own.length + 1);
  for (let at = folder; ; at = path.dirname(at)) {
    // `#name` is mapped by the nearest package itself, and a package may import itself by its name.
    const near = toRealFile(path.join(at, 'package.json'));
    if (first.startsWith('#') && near.length > 0) {
      return [...mapped, ...near, ...toFiles(mapByPackage(at, 'imports', name))];
    }
    const home = path.join(at, 'node_modules', own);
    const found = toRealFile(path.join(home, 'package.json'));
    if (found.length > 0) return [...mapped, ...found, ...listPackageFiles(home, rest)];
    if (near.length > 0 && getPackageName(at) === own) {
      return [...mapped, ...near, ...listPackageFiles(at, rest)];
    }
    const index = resolveRelative(home, rest === '' ? '.' : rest);
    if (index.length > 0) return [...mapped, ...index];
    if (path.dirname(at) === at) return mapped;
  }
}

/** The file of a package that is imported by its path, as the package's description maps it or not. */
function listPackageFiles(home: string, rest: string): readonly string[] {
  if (rest === '') return [];
  return [...resolveRelative(home, rest), ...toFiles(mapByPackage(home, 'exports', `./${rest}`))];
}

function toFiles(paths: readonly string[]): readonly string[] {
  return paths.flatMap((each) => resolveRelative('/', each));
}

/** The file's real path, from which a runtime resolves its imports; none if it is no file. */
function toRealFile(file: string): readonly string[] {
  try {
    return statSync(file).isDirectory() ? [] : [realpathSync(file)];
  } catch {
    return [];
  }
}
