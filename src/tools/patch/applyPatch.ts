import { failure, type Outcome, success } from '../../base/outcome.ts';
import { FILE_CHANGERS } from '../../base/tools/toolFacts.ts';
import type { FileChange } from '../../diff/fileChange.ts';
import type { Preview } from '../../gate/preview.ts';
import type { Subject } from '../../permissions/rules/subject.ts';
import type { FileSystem } from '../../runtime/runtime.ts';
import { applyChanges, NO_FILE } from '../applyChanges.ts';
import type { Tool } from '../contract.ts';
import { applyHunks } from './applyHunks.ts';
import { type FilePatch, parsePatch } from './parsePatch.ts';

interface Args {
  readonly patch: string;
}

interface Data {
  readonly files: readonly PatchedFile[];
}

interface PatchedFile {
  readonly path: string;
  readonly change: 'created' | 'changed' | 'deleted';
}

const ID = 'apply_patch';

/** Applies a unified diff to all of its files or to none (spec C-21). */
export const applyPatch: Tool<Args, Data> = {
  id: ID,
  kind: 'edit',
  description:
    'Apply a unified diff (as git diff and diff -u write it) to several files at once: all of them change, or none. Files can be created (--- /dev/null), deleted (+++ /dev/null) and renamed (rename from, rename to). Paths are absolute or relative to the workspace root; the prefixes a/ and b/ are dropped. Every context line and every removed line must be in the file exactly as written; a hunk may stand at another line than its header says if it matches at only one. Line ends and encoding of a file are kept. For a single change in one file use edit.',
  parameters: {
    type: 'object',
    properties: {
      patch: { type: 'string', minLength: 1, description: 'The unified diff.' },
    },
    required: ['patch'],
    additionalProperties: false,
  },
  requires: { families: ['fs.read', 'fs.write'] },
  changesFiles: true,
  alsoRuledBy: [...FILE_CHANGERS.filter((id) => id !== ID), 'read'],

  async check(input) {
    const { patch } = Object(input);
    if (typeof patch !== 'string' || Object.keys(Object(input)).length !== 1) {
      return 'They must be an object with one string, "patch".';
    }
    const parsed = parsePatch(patch);
    return parsed.ok ? undefined : parsed.error;
  },

  subjects({ patch }) {
    const parsed = parsePatch(patch);
    const paths = (parsed.ok ? parsed.data : []).flatMap(toPaths);
    const [first = toSubject('', 'fs.write'), ...others] = [...new Set(paths)].flatMap((target) => [
      toSubject(target, 'fs.write'),
      toSubject(target, 'fs.read'),
    ]);
    return [first, ...others];
  },
  title({ patch }) {
    const parsed = parsePatch(patch);
    const files = parsed.ok ? parsed.data : [];
    const [first] = files.flatMap(toPaths);
    return files.length === 1 ? `Patch ${first}` : `Patch ${files.length} files`;
  },

  preview: ({ patch }, { fs }) => toPreview(patch, fs),

  async execute({ patch }, runtime, approved) {
    const preview = approved ? success(approved) : await toPreview(patch, runtime.fs);
    if (!preview.ok) return preview;
    const applied = await applyChanges(preview.data, runtime);
    if (!applied.ok) return applied;
    return success({ files: preview.data.changes.map(toPatched) });
  },
};

function toPaths({ oldPath, newPath }: FilePatch): readonly string[] {
  return [oldPath, newPath].flatMap((path) => path ?? []);
}

function toSubject(target: string, capability: 'fs.read' | 'fs.write'): Subject {
  return { permission: ID, capability, target, match: 'path' };
}

/** Works out the new text of every file. The error names each file that does not match. */
async function toPreview(patch: string, fs: FileSystem): Promise<Outcome<Preview>> {
  const parsed = parsePatch(patch);
  if (!parsed.ok) return parsed;
  const changes: FileChange[] = [];
  const faults: string[] = [];
  for (const file of parsed.data) {
    const made = await toChanges(file, fs);
    if (made.ok) changes.push(...made.data);
    else faults.push(made.error);
  }
  if (faults.length === 0) return success({ changes });
  return failure(`The patch does not apply, so no file was changed.\n${faults.join('\n')}`);
}

async function toChanges(
  { oldPath, newPath, hunks }: FilePatch,
  fs: FileSystem,
): Promise<Outcome<readonly FileChange[]>> {
  if (oldPath === undefined) return toCreated(newPath ?? '', '', hunks, fs);
  const read = await fs.readText(oldPath);
  if (!read.ok) return read;
  using file = read.data;
  const oldText = file.utf8.toString('utf8');
  const change = { path: file.path, beforeHash: file.hash(), oldText };
  const applied = applyHunks(oldText, hunks);
  if (!applied.ok) return failure(`${oldPath}: ${applied.error}`);
  const newText = applied.data;
  if (newPath === oldPath) return success([{ ...change, newText }]);
  if (newPath !== undefined) {
    const created = await toCreated(newPath, newText, [], fs);
    return created.ok ? success([change, ...created.data]) : created;
  }
  if (newText === '') return success([change]);
  return failure(`${oldPath}: The patch deletes the file but does not remove all of its lines.`);
}

/** A rename changes nothing else of the text, so it has no hunks left. */
async function toCreated(
  path: string,
  text: string,
  hunks: FilePatch['hunks'],
  fs: FileSystem,
): Promise<Outcome<readonly FileChange[]>> {
  const before = await fs.readForChange(path);
  if (!before.ok) return before;
  using existing = before.data;
  if (existing !== undefined) return failure(`${path}: The file exists already.`);
  const applied = applyHunks(text, hunks);
  if (!applied.ok) return failure(`${path}: ${applied.error}`);
  return success([{ path: fs.absolute(path), beforeHash: NO_FILE, newText: applied.data }]);
}

function toPatched({ path, oldText, newText }: FileChange): PatchedFile {
  if (newText === undefined) return { path, change: 'deleted' };
  return { path, change: oldText === undefined ? 'created' : 'changed' };
}
