import path from 'node:path';
import type { DialectRow } from '../manifest/dialectRow.ts';
import { ancestors } from '../manifest/parseSurroundings.ts';
import { findToolsFile, getToolIds, listNames, listVariables } from '../manifest/toolList.ts';
import type { AgentcliEntry } from './entry.ts';
import { AGENTCLI_FIELDS } from './fields.ts';
import { parseAgentcli } from './parseAgentcli.ts';

/** agentcli's `tools.json`. It matches any document, so its row is the last. */
export const agentcli: DialectRow<AgentcliEntry> = {
  id: 'agentcli',
  syntaxError: 'parse manifest: ',
  emptyText: '{}',
  fields: AGENTCLI_FIELDS,
  createFinder: () => findToolsFile,
  detect: () => true,
  parse({ file, root, document, diagnostics, surroundings }) {
    const { entries, schemas } = parseAgentcli({
      document,
      folder: path.dirname(file),
      root,
      diagnostics,
      surroundings,
    });
    const folders = ancestors(path.dirname(file), surroundings);
    const commands = entries.map(({ program, command: [, ...args] }) => ({
      program,
      args,
      folders,
      path: surroundings.path,
    }));
    return { entries, covers: [], commands, modules: [], schemas };
  },
  getIds: (root) => getToolIds(root, 'name'),
  suggestValues({ file, pointer }, env) {
    if (/^\/tools\/\d+\/envPassthrough\/\d+$/.test(pointer)) return listVariables(env);
    if (!isProgram(pointer)) return [];
    const programs = listNames(path.join(path.dirname(file), 'tools', 'bin'));
    return programs.map((name) => `./tools/bin/${name}`);
  },
  findTarget: ({ file, pointer }, written) =>
    isProgram(pointer) ? path.resolve(path.dirname(file), written) : undefined,
};

function isProgram(pointer: string): boolean {
  return /^\/tools\/\d+\/command\/0$/.test(pointer);
}
