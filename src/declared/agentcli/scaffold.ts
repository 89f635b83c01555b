import { existsSync } from 'node:fs';
import path from 'node:path';
import { getDialectFacts } from '../../base/tools/dialectFacts.ts';
import { readDocument } from '../manifest/parseDocument.ts';
import { addEntry } from '../scaffold/addEntry.ts';
import { readIfPresent, type Scaffold, type ToolSketch } from '../scaffold/scaffold.ts';

/** A program that answers with its own input: one line of JSON on stdout, as agentcli requires. */
const PROGRAM =
  '#!/bin/sh\n# The arguments are JSON on standard input; the answer is one line of JSON.\ncat\n';

/** Adds a tool to the root's `tools.json`, with a program to fill in at `tools/bin/<name>`. */
export const scaffoldAgentcli: Scaffold = async ({ tool, root, force }) => {
  const { name } = tool;
  const { pattern } = getDialectFacts('agentcli').nameQuestion;
  if (!pattern.test(name)) return `invalid tool name '${name}'`;
  const before = readIfPresent(path.join(root, 'tools.json')) ?? '';
  const { value, parseErrors } = readDocument(
    'tools.json',
    before === '' ? '{"tools":[]}' : before,
  );
  if (parseErrors.length > 0) return 'tools.json is not valid JSON: fix it first';
  if (JSON.stringify(value).includes(`"name":${JSON.stringify(name)}`)) {
    return `the tool ${name} already exists`;
  }
  const program = path.join('tools', 'bin', name);
  if (existsSync(path.join(root, program)) && !force) {
    return `path already exists: ${path.join(root, program)}`;
  }
  const files = { 'tools.json': addEntry(before, toEntry(tool)), [program]: PROGRAM };
  return { folder: root, files };
};

function toEntry({ name, description, input }: ToolSketch): object {
  const program = process.platform === 'win32' ? `${name}.exe` : name;
  return { name, description, schema: input, command: [`./tools/bin/${program}`], timeoutSec: 30 };
}
