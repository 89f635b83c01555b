import path from 'node:path';
import type { ToolEntry } from '../../declared/dialects.ts';
import { toFunctionTool } from '../../declared/dialectTools.ts';
import { CHECK_LIMITS, findManifests, isFolder } from '../../declared/findManifests.ts';
import { diskSurroundings } from '../../declared/manifest/parseSurroundings.ts';
import { isAccepted, type Manifest } from '../../declared/parseManifest.ts';
import { validateFile } from '../../declared/validateFile.ts';
import { validateTogether } from '../../declared/validateTogether.ts';
import type { Command, CommandIo } from '../command.ts';

export const USAGE = 'usage: gatehouse tools export --openai PATH…\n';

/**
 * `gatehouse tools export --openai`: prints the manifests' tools as function tools (spec A-12, B-25), as one JSON array
 * on standard output. Any manifest with an error exports nothing: exit code 1.
 */
export const run: Command = async (io) => {
  const [verb, ...words] = io.args;
  const paths = words.filter((word) => !word.startsWith('-'));
  const flags = words.filter((word) => word.startsWith('-'));
  if (verb !== 'export' || !flags.includes('--openai') || flags.length > 1 || paths.length === 0) {
    io.stderr.write(USAGE);
    return 2;
  }
  const surroundings = diskSurroundings(io.env);
  const found = paths.flatMap((written) => {
    const file = path.resolve(io.cwd, written);
    if (isFolder(file)) return findManifests(file, surroundings, CHECK_LIMITS);
    return [{ file, autoloaded: false }];
  });
  const manifests = validateTogether(found.map((each) => validateFile(each, surroundings)));
  const refused = manifests.filter((manifest) => !isAccepted(manifest));
  for (const manifest of refused) complain(io, manifest);
  if (refused.length > 0) return 1;
  const tools = manifests.flatMap(({ entries }) => entries.map(toExported));
  io.stdout.write(`${JSON.stringify(tools, undefined, 2)}\n`);
  return 0;
};

function complain({ stderr }: CommandIo, { file, diagnostics }: Manifest): void {
  for (const { line, column, severity, message } of diagnostics) {
    if (severity === 'error') stderr.write(`${file}:${line}:${column}: error: ${message}\n`);
  }
}

/** Leaves out what is empty (spec A-35). */
function toExported(entry: ToolEntry): object {
  const description = entry.description || undefined;
  const { name, parameters } = toFunctionTool(entry);
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      ...(parameters !== undefined && { parameters }),
    },
  };
}
