import path from 'node:path';
import type { DialectRow } from '../manifest/dialectRow.ts';
import { toSource } from '../manifest/parseIds.ts';
import { ancestors, exists } from '../manifest/parseSurroundings.ts';
import { findToolsFile, getToolIds } from '../manifest/toolList.ts';
import type { RunloopEntry } from './entry.ts';
import { RUNLOOP_FIELDS } from './fields.ts';
import { BUNDLE_FILES, type Bundle } from './parseBundle.ts';
import { CAPABILITY_FAMILIES } from './parseCaps.ts';
import { parseRunloop } from './parseRunloop.ts';

/** Runloop's `tools.json`, with or without the other files of its bundle. */
export const runloop: DialectRow<RunloopEntry> = {
  id: 'runloop',
  syntaxError: 'invalid JSON: ',
  emptyText: '{}',
  fields: RUNLOOP_FIELDS,
  createFinder: () => findToolsFile,
  detect({ file, document, surroundings }) {
    if (document.notation === 'yaml') return false;
    if (document.rootKeys.includes('version') || document.mentionsTransport) return true;
    return bundleFiles(file).some((each) => exists(surroundings, each));
  },
  parse({ file, ...source }) {
    const { surroundings } = source;
    const folder = path.dirname(file);
    const { entries, bundle, schemas } = parseRunloop({ ...source, folder });
    const folders = ancestors(folder, surroundings);
    const commands = entries.flatMap(({ transport }) =>
      transport.kind === 'exec'
        ? [
            {
              program: transport.command,
              args: transport.args,
              folders,
              path: surroundings.path,
            },
          ]
        : [],
    );
    const covers = bundleFiles(file);
    return {
      entries,
      covers,
      commands,
      modules: [],
      schemas,
      ...toBundle(bundle, source.root, folder),
    };
  },
  getIds: (root) => getToolIds(root, 'id'),
  suggestValues({ pointer, text }) {
    if (/^\/tools\/\d+\/capabilities\/\d+$/.test(pointer)) return CAPABILITY_FAMILIES;
    return /^\/tools\/\d+\/transport\/headers\//.test(pointer) ? secretPlaceholders(text) : [];
  },
  findTarget: ({ pointer }, written) =>
    /^\/tools\/\d+\/transport\/command$/.test(pointer) ? written : undefined,
};

function toBundle({ name, ownName }: Bundle, root: string, folder: string) {
  return { bundleName: name, bundleSource: ownName ?? toSource(root, folder) };
}

function bundleFiles(file: string): readonly string[] {
  return BUNDLE_FILES.map((name) => path.join(path.dirname(file), name));
}

function secretPlaceholders(text: string): readonly string[] {
  const ids = [...text.matchAll(/"(runloop\/[^"\\]+)"/g)].map(([, id = '']) => id);
  return [...new Set(ids)].map((id) => `{{secret:${id}}}`);
}
