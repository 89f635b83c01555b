import path from 'node:path';
import { toVisibleLine } from '../../base/text/visibleText.ts';
import type { ToolEntry } from '../../declared/dialects.ts';
import { toFunctionTool } from '../../declared/dialectTools.ts';
import { findNamed } from '../../declared/findManifests.ts';
import { diskSurroundings } from '../../declared/manifest/parseSurroundings.ts';
import { isAccepted, type Manifest } from '../../declared/parseManifest.ts';
import { validateManifests } from '../../declared/validateManifests.ts';
import type { Command, CommandIo } from '../command.ts';
import { readFolderSettings } from '../config/folderSettings.ts';
import { takeWorkspace } from './workspaceOption.ts';

export const USAGE = 'usage: gatehouse tools export --openai [--workspace DIR] PATH…\n';

/**
 * `gatehouse tools export --openai`: prints the manifests' tools as function tools (spec A-12, B-25), as one JSON array
 * on standard output. Any manifest with an error exports nothing: exit code 1.
 */
export const run: Command = async (io) => {
  const taken = takeWorkspace(io);
  const [verb, ...words] = taken.ok ? taken.data.words : [];
  const paths = words.filter((word) => !word.startsWith('-'));
  const flags = words.filter((word) => word.startsWith('-'));
  if (verb !== 'export' || !flags.includes('--openai') || flags.length > 1 || paths.length === 0) {
    if (!taken.ok) io.stderr.write(`gatehouse tools: ${taken.error}\n`);
    io.stderr.write(USAGE);
    return 2;
  }
  const surroundings = diskSurroundings(io.env);
  const named = { cwd: io.cwd, workspace: taken.ok ? taken.data.workspace : undefined };
  const found = paths.flatMap((written) => {
    const file = path.resolve(io.cwd, written);
    const listed = findNamed(file, named, surroundings);
    return listed ?? [{ file, root: io.cwd, autoloaded: false }];
  });
  const { schemaMs } = readFolderSettings(io.cwd, io.env).limits;
  const manifests = await validateManifests(found, { surroundings, schemaMs });
  const refused = manifests.filter((manifest) => !isAccepted(manifest));
  for (const manifest of refused) complain(io, manifest);
  if (refused.length > 0) return 1;
  const tools = manifests.flatMap(({ entries }) => entries.map(toExported));
  io.stdout.write(`${JSON.stringify(tools, undefined, 2)}\n`);
  return 0;
};

function complain({ stderr }: CommandIo, { file, diagnostics }: Manifest): void {
  for (const { line, column, severity, message } of diagnostics) {
    if (severity !== 'error') continue;
    stderr.write(`${toVisibleLine(`${file}:${line}:${column}: error: ${message}`)}\n`);
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
