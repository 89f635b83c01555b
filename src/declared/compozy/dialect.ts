import path from 'node:path';
import type { DialectRow } from '../manifest/dialectRow.ts';
import { goQuote } from '../manifest/parseGo.ts';
import { getField } from '../manifest/parsePointer.ts';
import { ancestors, type Surroundings } from '../manifest/parseSurroundings.ts';
import { listVariables } from '../manifest/toolList.ts';
import type { CompozyEntry } from './entry.ts';
import { COMPOZY_FIELDS } from './fields.ts';
import { createFinder } from './findToolFile.ts';
import { parseCompozy } from './parseCompozy.ts';
import { type CompozyProject, findProject } from './parseProject.ts';
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
    const entry = parseCompozy({ ...source, project, folder: path.dirname(file) });
    const covers = [project.entrypoint, path.join(project.folder, 'compozy.yaml')];
    return { entries: entry === undefined ? [] : [entry], covers };
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
