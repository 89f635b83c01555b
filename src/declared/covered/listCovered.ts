import path from 'node:path';
import { readHead } from '../../base/disk/readRegular.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { ParsedManifest, RunCommand } from '../manifest/dialectRow.ts';
import { isScript, listModules } from './moduleGraph.ts';
import { createNamedFiles, isFile, type NamedFiles } from './namedFiles.ts';

/** A manifest, by what it runs. */
type Covering = Pick<ParsedManifest<never>, 'covers' | 'commands' | 'modules'> & {
  readonly file: string;
};

/**
 * The files that an acceptance of the manifest covers, existing or not: the manifest, its neighbours, its
 * programs with their interpreters and the files that their arguments name, and every module that is
 * imported. Absolute.
 */
export async function listCovered(manifest: Covering): Promise<Outcome<readonly string[]>> {
  const { file, covers, commands, modules } = manifest;
  const { named, scripts } = await listCommandFiles(commands);
  const roots = [...modules, ...scripts];
  const imported = await listModules(roots);
  if (!imported.ok) return failure(imported.error);
  const others = imported.data.filter((each) => !roots.includes(each));
  return success([...new Set([file, ...covers, ...named, ...modules, ...others])]);
}

interface CommandFiles {
  readonly named: readonly string[];
  /** Those of them that may import others. */
  readonly scripts: readonly string[];
}

async function listCommandFiles(commands: readonly RunCommand[]): Promise<CommandFiles> {
  const words = getWords(commands);
  const files = await words.files.find();
  const starts = new Map<string, Start>();
  for (const file of [...words.programs, ...files]) {
    if (!starts.has(file)) starts.set(file, readStart(file, words.path));
  }
  const state = JSON.stringify([[...files], [...starts.values()]]);
  if (words.last?.state === state) return words.last;
  const named = commands.flatMap(({ program }, at) => {
    const programs = [program, ...(words.paths[at]?.filter((each) => files.has(each)) ?? [])];
    return [...programs, ...programs.flatMap((each) => starts.get(each)?.interpreters ?? [])];
  });
  const distinct = [...new Set(named)];
  const scripts = distinct.filter((each) => isScript(each) || starts.get(each)?.runsModules);
  words.last = { state, named: distinct, scripts };
  return words.last;
}

/** What commands name. */
interface Words {
  readonly programs: readonly string[];
  /** The absolute paths that the arguments of each command may mean. */
  readonly paths: readonly (readonly string[])[];
  readonly files: NamedFiles;
  /** The folders of PATH, the same for all commands. */
  readonly path: readonly string[];
  /** The files that were found last, as long as the state on disk is the same. */
  last?: CommandFiles & { readonly state: string };
}

/** The commands of a manifest never change, and are listed before each call. */
const known = new WeakMap<readonly RunCommand[], Words>();

function getWords(commands: readonly RunCommand[]): Words {
  const found = known.get(commands);
  if (found !== undefined) return found;
  const programs = [...new Set(commands.map(({ program }) => program))];
  const paths = commands.map(toPaths);
  const files = createNamedFiles(new Set(paths.flat()));
  const made: Words = { programs, paths, files, path: commands[0]?.path ?? [] };
  known.set(commands, made);
  return made;
}

function toPaths({ args, folders }: RunCommand): readonly string[] {
  const written = new Set(args.flatMap((arg) => [arg, arg.slice(arg.indexOf('=') + 1)]));
  const paths = [...written]
    .filter((each) => each !== '' && !each.includes('\0'))
    .flatMap((each) => folders.map((folder) => path.resolve(folder, each)));
  return [...new Set(paths)];
}

/** The longest first line that a system reads of a script. Bytes. */
const FIRST_LINE = 512;

/** Runtimes whose scripts import modules. */
const RUNTIME = /^(?:node|nodejs|bun|deno|tsx|ts-node)$/;

/** What a script's `#!` line says. */
interface Start {
  /** Absolute paths, and what `env` finds on PATH. */
  readonly interpreters: readonly string[];
  readonly runsModules: boolean;
}

function readStart(file: string, onPath: readonly string[]): Start {
  const words = readInterpreter(file);
  const isEnv = path.basename(words[0] ?? '') === 'env';
  const named = isEnv ? words.slice(1).filter((word) => !/[/=]|^-/.test(word)) : [];
  const found = named.flatMap(
    (name) => onPath.map((folder) => path.join(folder, name)).find(isFile) ?? [],
  );
  return {
    interpreters: [...words.filter(path.isAbsolute), ...found],
    runsModules: words.some((word) => RUNTIME.test(path.basename(word))),
  };
}

/** The words of a script's `#!` line. */
function readInterpreter(file: string): readonly string[] {
  const read = readHead(file, FIRST_LINE);
  if (read.state !== 'read') return [];
  const [line = ''] = read.bytes.toString('latin1').split('\n', 1);
  return line.startsWith('#!') ? line.slice(2).trim().split(/\s+/) : [];
}
