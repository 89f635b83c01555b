import path from 'node:path';
import {
  DIALECT_IDS,
  type DialectId,
  getDialectFacts,
  isDialectId,
} from '../../base/tools/dialectFacts.ts';
import { CHECK_LIMITS, findManifests, isFolder } from '../../declared/findManifests.ts';
import type { FoundManifest } from '../../declared/manifest/dialectRow.ts';
import { diskSurroundings, type Surroundings } from '../../declared/manifest/parseSurroundings.ts';
import { isAccepted, type Manifest } from '../../declared/parseManifest.ts';
import { validateFile } from '../../declared/validateFile.ts';
import { validateTogether } from '../../declared/validateTogether.ts';
import type { Command, CommandIo } from '../command.ts';

export const USAGE = `usage: gatehouse check [--json] [--dialect ${DIALECT_IDS.join('|')}] PATH…\n`;

/**
 * `gatehouse check`: prints the diagnostics of every manifest that is named or found below a folder. It validates documents
 * and runs nothing. Exit code 0 when all are ok, 1 when there is an error, 2 for misuse.
 */
export const run: Command = async (io) => {
  const options = parseArguments(io.args);
  if (typeof options === 'string') return misuse(io, options);
  const surroundings = diskSurroundings(io.env);
  const found: FoundManifest[] = [];
  for (const written of options.paths) {
    const listed = list(path.resolve(io.cwd, written), surroundings);
    if (listed === undefined) return misuse(io, `${written} does not exist`);
    for (const each of listed) if (!found.some(({ file }) => file === each.file)) found.push(each);
  }
  const manifests = validateTogether(
    found.map((each) => validateFile(each, surroundings, options.dialect)),
  );
  io.stdout.write(options.json ? toJson(manifests) : toText(manifests, io.cwd));
  return manifests.every(isAccepted) ? 0 : 1;
};

interface Options {
  readonly json: boolean;
  readonly dialect: DialectId | undefined;
  readonly paths: readonly string[];
}

function misuse(io: CommandIo, message: string): number {
  io.stderr.write(`gatehouse check: ${message}\n${USAGE}`);
  return 2;
}

function parseArguments(args: readonly string[]): Options | string {
  const paths: string[] = [];
  let json = false;
  let dialect: DialectId | undefined;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') {
      paths.push(...args.slice(at + 1));
      break;
    }
    if (word === '--json') json = true;
    else if (word === '--dialect' || word.startsWith('--dialect=')) {
      const name = word === '--dialect' ? (args[++at] ?? '') : word.slice('--dialect='.length);
      if (!isDialectId(name)) return `unknown dialect "${name}"`;
      dialect = name;
    } else if (word.startsWith('-')) return `unknown option ${word}`;
    else paths.push(word);
  }
  return paths.length === 0 ? 'no PATH given' : { json, dialect, paths };
}

/** The manifests of one PATH; undefined when it does not exist. */
function list(file: string, surroundings: Surroundings): readonly FoundManifest[] | undefined {
  if (isFolder(file)) return findManifests(file, surroundings, CHECK_LIMITS);
  if (surroundings.program(file) === 'missing') return undefined;
  // A bundle's other files are validated with the document they belong to.
  const isNeighbour = DIALECT_IDS.some((id) =>
    getDialectFacts(id).neighbours.includes(path.basename(file)),
  );
  const manifest = isNeighbour ? path.join(path.dirname(file), 'tools.json') : file;
  return [{ file: manifest, autoloaded: false }];
}

function toJson(manifests: readonly Manifest[]): string {
  const rows = manifests.map((manifest) => ({
    file: manifest.file,
    dialect: manifest.dialect,
    ok: isAccepted(manifest),
    problems: manifest.diagnostics.map(({ pointer, line, column, severity, message }) => ({
      pointer,
      line,
      column,
      severity,
      message,
    })),
    tools: manifest.ids.map(({ id }) => id),
  }));
  return `${JSON.stringify(rows, undefined, 2)}\n`;
}

function toText(manifests: readonly Manifest[], cwd: string): string {
  const lines = manifests.flatMap((manifest) => {
    const file = path.relative(cwd, manifest.file) || manifest.file;
    const count = `${manifest.ids.length} tool${manifest.ids.length === 1 ? '' : 's'}`;
    return [
      `${file}: ${isAccepted(manifest) ? 'ok' : 'refused'} (${manifest.dialect}, ${count})`,
      ...manifest.diagnostics.flatMap(({ line, column, severity, message, hint }) => [
        `${file}:${line}:${column}: ${severity}: ${message}`,
        ...(hint === undefined ? [] : [`  ${hint}`]),
      ]),
    ];
  });
  // Messages quote the file, so control characters must not reach the terminal.
  const safe = lines.map((line) => line.replace(/\p{Cc}/gu, '\uFFFD'));
  return safe.length === 0 ? 'no manifests found\n' : `${safe.join('\n')}\n`;
}
