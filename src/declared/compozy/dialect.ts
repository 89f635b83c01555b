import path from 'node:path';
import type { DeclaredSchema, DialectRow, RunCommand } from '../manifest/dialectRow.ts';
import { goQuote } from '../manifest/parseGo.ts';
import { getField } from '../manifest/parsePointer.ts';
import { ancestors, type Surroundings } from '../manifest/parseSurroundings.ts';
import { listVariables } from '../manifest/toolList.ts';
import type { CompozyEntry } from './entry.ts';
import { COMPOZY_FIELDS } from './fields.ts';
import { createFinder } from './findToolFile.ts';
import { parseCompozy } from './parseCompozy.ts';
import { type CompozyProject, findProject, isProjectFile, PROJECT_FILES } from './parseProject.ts';
import { TEMPLATE_FUNCTIONS, TEMPLATE_ROOTS } from './parseTemplate.ts';

/** Compozy's tools: YAML files with `resource: tool`, one tool each. */
export const compozy: DialectRow<CompozyEntry> = {
  id: 'compozy',
  syntaxError: 'PARSE_ERROR: ',
  emptyText: '',
  fields: COMPOZY_FIELDS,
  createFinder,
  detect: ({ document }) => document.notation === 'yaml' || document.rootKeys.includes('resource'),
  parse({ file, ...source }) {
    const project = getProject(file, source.surroundings);
    if (isProjectFile(file)) {
      for (const problem of project.problems) source.diagnostics.error('', problem);
      return { entries: [], covers: [], commands: [], modules: [], schemas: [] };
    }
    const schemas: DeclaredSchema[] = [];
    const entry = parseCompozy({ ...source, schemas, project, folder: path.dirname(file) });
    const near = [...PROJECT_FILES, 'package.json', 'tsconfig.json', 'bunfig.toml'];
    const covers = near.map((name) => path.join(project.folder, name));
    const modules = [project.entrypoint];
    const entries = entry === undefined ? [] : [entry];
    const commands = listRuntime(project, source.surroundings);
    return { entries, covers, commands, modules, schemas, uniqueIn: project.folder };
  },
  getIds(root) {
    const { id } = root;
    const isTool = (getField(root, 'resource') ?? 'tool') === 'tool';
    return isTool && typeof id === 'string' && id !== '' ? [{ id, pointer: '/id' }] : [];
  },
  unique: {
    toKey: (id) => id.trim().toLowerCase(),
    describe: (key, firstFile) => `DUPLICATE_CONFIG: tool ${goQuote(key)} is also in ${firstFile}`,
  },
  suggestValues: ({ pointer }, env) => (pointer.startsWith('/env/') ? templates(env) : []),
  findTarget: ({ file, pointer }, _written, surroundings) =>
    pointer === '/id' ? getProject(file, surroundings).entrypoint : undefined,
};

/** Bun is looked up on PATH, where the project's own packages may be too. */
function listRuntime(
  { runtime, folder }: CompozyProject,
  { path: folders, program }: Surroundings,
): readonly RunCommand[] {
  if (runtime !== 'bun') return [];
  const found = folders
    .map((each) => path.join(each, 'bun'))
    .find((file) => program(file) === 'there');
  return found === undefined
    ? []
    : [{ program: found, args: [], folders: [folder], path: folders }];
}

function getProject(file: string, surroundings: Surroundings): CompozyProject {
  const folder = path.dirname(file);
  return findProject(folder, ancestors(folder, surroundings), surroundings);
}

function templates(env: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  const names = listVariables(env).filter((name) => !name.startsWith('GATEHOUSE_'));
  return [
    ...names.map((name) => `"{{ .env.${name} }}"`),
    ...[...TEMPLATE_ROOTS].map((root) => `"{{ .${root}. }}"`),
    ...[...TEMPLATE_FUNCTIONS].map((name) => `"{{ .env.NAME | ${name} }}"`),
  ];
}
