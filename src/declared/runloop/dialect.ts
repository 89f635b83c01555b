import path from 'node:path';
import type { DialectRow } from '../manifest/dialectRow.ts';
import { findToolsFile, getToolIds } from '../manifest/toolList.ts';
import type { RunloopEntry } from './entry.ts';
import { RUNLOOP_FIELDS } from './fields.ts';
import { BUNDLE_FILES } from './parseBundle.ts';
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
    return bundleFiles(file).some((each) => surroundings.read(each) !== undefined);
  },
  parse({ file, document, diagnostics, surroundings }) {
    const folder = path.dirname(file);
    const { entries, bundle } = parseRunloop(document, folder, diagnostics, surroundings);
    const programs = entries.flatMap(({ transport }) =>
      transport.kind === 'exec' ? [transport.command] : [],
    );
    return { entries, covers: [...bundleFiles(file), ...programs], bundleName: bundle.name };
  },
  getIds: (root) => getToolIds(root, 'id'),
  suggestValues({ pointer, text }) {
    if (/^\/tools\/\d+\/capabilities\/\d+$/.test(pointer)) return CAPABILITY_FAMILIES;
    return /^\/tools\/\d+\/transport\/headers\//.test(pointer) ? secretPlaceholders(text) : [];
  },
  findTarget: ({ pointer }, written) =>
    /^\/tools\/\d+\/transport\/command$/.test(pointer) ? written : undefined,
};

function bundleFiles(file: string): readonly string[] {
  return BUNDLE_FILES.map((name) => path.join(path.dirname(file), name));
}

function secretPlaceholders(text: string): readonly string[] {
  const ids = [...text.matchAll(/"(runloop\/[^"\\]+)"/g)].map(([, id = '']) => id);
  return [...new Set(ids)].map((id) => `{{secret:${id}}}`);
}
