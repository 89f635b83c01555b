import { existsSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { getDialectFacts } from '../../base/tools/dialectFacts.ts';
import type { Scaffold, ToolSketch } from '../scaffold/scaffold.ts';

/** A tool file, with an entry point and a project file where there are none. */
export const scaffoldCompozy: Scaffold = async ({ tool, root, force }) => {
  const { name } = tool;
  const { pattern } = getDialectFacts('compozy').nameQuestion;
  if (!pattern.test(name)) return `invalid tool id '${name}'`;
  const file = path.join('tools', `${name}.yaml`);
  const exists = (each: string): boolean => existsSync(path.join(root, each));
  if (exists(file) && !force) return `path already exists: ${path.join(root, file)}`;
  const files = {
    [file]: toText(tool),
    ...(!exists('tools.ts') && { 'tools.ts': toEntrypoint(name) }),
    ...(!exists('compozy.yaml') && { 'compozy.yaml': `name: ${path.basename(root)}\n` }),
  };
  return { folder: root, files };
};

function toText({ name, description, input }: ToolSketch): string {
  return stringify({ resource: 'tool', id: name, description, timeout: '30s', input });
}

function toEntrypoint(name: string): string {
  return `export default {\n  ${JSON.stringify(name)}: async (input, config) => {\n    return { input };\n  },\n};\n`;
}
