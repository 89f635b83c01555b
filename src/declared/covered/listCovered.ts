import path from 'node:path';
import { readHead } from '../../base/disk/readRegular.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { ParsedManifest, RunCommand } from '../manifest/dialectRow.ts';
import { listModules } from './moduleGraph.ts';
import { createNamedFiles, isFile, type NamedFiles } from './namedFiles.ts';
import { getKind, getKindOfProgram, listRunModules, type ScriptKind } from './scriptNames.ts';

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
  const roots = new Map([...modules.map((each) => [each, 'modules'] as const), ...scripts]);
  const imported = await listModules(roots, [...new Set(commands.flatMap((each) => each.folders))]);
  if (!imported.ok) return failure(imported.error);
  const others = imported.data.filter((each) => !roots.has(each));
  return success([...new Set([file, ...covers, ...named, ...modules, ...others])]);
}

interface CommandFiles {
  readonly named: readonly string[];
  /** Those of them that may import, source or start others. */
  readonly scripts: ReadonlyMap<string, ScriptKind>;
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
  const scripts = new Map<string, ScriptKind>();
  const named = commands.flatMap(({ program }, at) => {
    const given = words.paths[at]?.filter((each) => files.has(each)) ?? [];
    const programs = [program, ...given];
    for (const each of programs) {
      const ofProgram = each === program ? undefined : getKindOfProgram(program);
      const kind = getKind(each) ?? starts.get(each)?.kind ?? ofProgram;
      if (kind !== undefined && !scripts.has(each)) scripts.set(each, kind);
    }
    return [...programs, ...programs.flatMap((each) => starts.get(each)?.interpreters ?? [])];
  });
  words.last = { state, named: [...new Set(named)], scripts };
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

function toPaths({ program, args, folders }: RunCommand): readonly string[] {
  const values = args.flatMap((arg) => [arg, arg.slice(arg.indexOf('=') + 1)]);
  const written = new Set([...values, ...listRunModules(program, args)]);
  const paths = [...written]
    .filter((each) => each !== '' && !each.includes('\0'))
    .flatMap((each) => folders.map((folder) => path.resolve(folder, each)));
  return [...new Set(paths)];
}

/** The longest first line that a system reads of a script. Bytes. */
const FIRST_LINE = 512;

/** What a script's `#!` line says. */
interface Start {
  /** Absolute paths, and what `env` finds on PATH. */
  readonly interpreters: readonly string[];
  readonly kind: ScriptKind | undefined;
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
    kind: words.map(getKindOfProgram).find((kind) => kind !== undefined),
  };
}

/** The words of a script's `#!` line. */
function readInterpreter(file: string): readonly string[] {
  const read = readHead(file, FIRST_LINE);
  if (read.state !== 'read') return [];
  const [line = ''] = read.bytes.toString('latin1').split('\n', 1);
  return line.startsWith('#!') ? line.slice(2).trim().split(/\s+/) : [];
}
