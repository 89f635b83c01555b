// Writes one file over and over until it is killed: node writer.ts FOLDER DATA
import path from 'node:path';
import { changedSpan } from '../../../src/diff/span.ts';
import { createJournal } from '../../../src/runtime/files/journal.ts';
import { createLocalFiles } from '../../../src/runtime/files/localFiles.ts';
import { contentOf } from './contentOf.ts';

const [folder = '', state = ''] = process.argv.slice(2);
const files = createLocalFiles({
  folders: { workspace: [folder], adHoc: [], cwd: folder },
  gate: {
    authorize: async () => ({ ok: true, data: undefined }),
    realPath: () => undefined,
    filterBelow: () => undefined,
    authorizeAddress: async () => ({ ok: true, data: undefined }),
  },
  journal: createJournal(state),
  signal: new AbortController().signal,
});
process.stdout.write('ready\n');
for (let n = 0; ; n += 1) {
  const name = path.join(folder, n % 2 === 0 ? 'single' : 'linked');
  const file = await files.readText(name);
  if (!file.ok) throw new Error(file.error);
  const span = changedSpan(file.data.utf8, contentOf(n));
  const written = await files.splice(file.data, [span]);
  if (!written.ok) throw new Error(written.error);
}
