import path from 'node:path';
import { isRecord } from '../../base/json.ts';
import type { LookUps } from './lookUps.ts';

// Names of modules that a configuration maps to files. All functions return absolute paths, existing or not.

/** What a package maps a name to by a pattern: `"./*": "./src/*.js"`. Names without `*` are found as strings. */
export function mapByPackage(
  folder: string,
  field: 'exports' | 'imports',
  name: string,
  lookUps: LookUps,
): readonly string[] {
  const value = lookUps.readConfig(path.join(folder, 'package.json'))[field];
  const targets = Object.entries(isRecord(value) ? value : {}).flatMap(([key, target]) => {
    if (!lookUps.spend()) return [];
    // The older form, `"./lib/": "./lib/"`.
    const isFolder = key.endsWith('/');
    const star = matchPattern(isFolder ? `${key}*` : key, name);
    if (star === undefined) return [];
    return listStrings(target).map((each) =>
      (isFolder ? `${each}*` : each).replaceAll('*', () => star),
    );
  });
  return targets.map((target) => path.resolve(folder, target));
}

/** The package's own name, by which it can import itself. */
export function getPackageName(folder: string, { readConfig }: LookUps): unknown {
  return readConfig(path.join(folder, 'package.json'))['name'];
}

/** The most files that extend each other. */
const EXTENDED = 16;

/** What the nearest `tsconfig.json` maps a name to, and the files that say so: Bun follows `paths` and `baseUrl`. */
export function mapByConfig(folder: string, name: string, lookUps: LookUps): readonly string[] {
  if (folder.split(path.sep).includes('node_modules')) return [];
  for (let at = folder; ; at = path.dirname(at)) {
    for (const base of ['tsconfig.json', 'jsconfig.json']) {
      const file = path.join(at, base);
      if (lookUps.toRealFile(file).length > 0) return followConfig(file, name, lookUps);
    }
    if (path.dirname(at) === at || !lookUps.spend()) return [];
  }
}

function followConfig(file: string, name: string, lookUps: LookUps): readonly string[] {
  const found: string[] = [];
  const open = [file];
  for (let next = open.pop(); next !== undefined && found.length < 1000; next = open.pop()) {
    if (found.includes(next) || found.filter(isConfig).length >= EXTENDED) continue;
    const folder = path.dirname(next);
    const { extends: parents, compilerOptions } = lookUps.readConfig(next);
    found.push(next);
    for (const parent of listStrings(parents).filter((each) => each.startsWith('.'))) {
      const target = path.resolve(folder, parent);
      open.push(target.endsWith('.json') ? target : `${target}.json`);
    }
    if (!isRecord(compilerOptions)) continue;
    const { baseUrl, paths } = compilerOptions;
    const base = path.resolve(folder, typeof baseUrl === 'string' ? baseUrl : '.');
    if (typeof baseUrl === 'string') found.push(path.resolve(base, name));
    for (const [key, targets] of Object.entries(isRecord(paths) ? paths : {})) {
      if (!lookUps.spend()) return found;
      const star = matchPattern(key, name);
      if (star === undefined) continue;
      const written = listStrings(targets).map((each) => each.replaceAll('*', () => star));
      found.push(...written.map((each) => path.resolve(base, each)));
    }
  }
  return found;
}

function isConfig(file: string): boolean {
  return file.endsWith('.json');
}

/** What `*` stands for in the name; empty for a pattern without one that is the name. */
function matchPattern(pattern: string, name: string): string | undefined {
  const at = pattern.indexOf('*');
  if (at < 0) return pattern === name ? '' : undefined;
  const [head, tail] = [pattern.slice(0, at), pattern.slice(at + 1)];
  const fits = name.startsWith(head) && name.endsWith(tail);
  if (!fits || name.length < head.length + tail.length) return undefined;
  return name.slice(head.length, name.length - tail.length);
}

/** Every string inside a value. */
export function listStrings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(listStrings);
  return isRecord(value) ? Object.values(value).flatMap(listStrings) : [];
}
