import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { asString, parseJson, toRecord } from '../../../base/json.ts';
import { sha256 } from '../../../base/text/sha256.ts';
import type { CallKey, ProposedChange, ReviewMarks } from './proposedFile.ts';

/** A file of a review as it was stored. */
export interface StoredFile {
  readonly change: ProposedChange;
  readonly text: string;
  readonly marks: ReviewMarks;
}

/** Calls whose reviews are stored. The oldest are removed first. */
const KEPT_CALLS = 100;

/**
 * Reviews on disk, so that a reload or a crash loses neither a tab's content nor what the user typed.
 * Each call has a folder; each file of it has its texts and, written last, a JSON file.
 */
export class ReviewStorage {
  readonly #folder: string;
  /** Writes run one after the other, so that an older text never replaces a newer one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The stored file; undefined if there is none or it can't be read. */
  async load(call: CallKey, file: string): Promise<StoredFile | undefined> {
    const stem = this.#stem(call, file);
    const record = parseRecord(await readText(`${stem}.json`));
    const baseText = await readText(`${stem}.base`);
    const proposedText = await readText(`${stem}.proposed`);
    if (record === undefined || baseText === undefined || proposedText === undefined) {
      return undefined;
    }
    const text = (await readText(`${stem}.text`)) ?? proposedText;
    const { kind, marks } = record;
    return { change: { call, path: file, kind, baseText, proposedText }, text, marks };
  }

  /** Stores a proposal, and replaces an earlier one of the same call and path. */
  create(file: StoredFile): Promise<void> {
    return this.#queue(() => this.#writeAll(file));
  }

  /** Stores what the user made of a proposal. */
  update(file: StoredFile): Promise<void> {
    const { change, text, marks } = file;
    return this.#queue(async () => {
      const stem = this.#stem(change.call, change.path);
      try {
        await replace([
          [`${stem}.text`, text],
          [`${stem}.json`, toRecordText(change, marks)],
        ]);
      } catch {
        // The folder may have been removed meanwhile.
        await this.#writeAll(file);
      }
    });
  }

  remove(call: CallKey): Promise<void> {
    return this.#queue(() => rm(this.#callFolder(call), { recursive: true, force: true }));
  }

  /** Resolves when everything given so far is on disk. */
  async settled(): Promise<void> {
    await this.#last;
  }

  #queue(run: () => Promise<void>): Promise<void> {
    const done = this.#last.then(run);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #writeAll({ change, text, marks }: StoredFile): Promise<void> {
    const stem = this.#stem(change.call, change.path);
    await mkdir(path.dirname(stem), { recursive: true, mode: 0o700 });
    const files: Readonly<Record<string, string>> = {
      base: change.baseText,
      proposed: change.proposedText,
      // Without a text of its own it is as proposed.
      ...(text !== change.proposedText && { text }),
      json: toRecordText(change, marks),
    };
    // All of it is on disk before what was stored is touched: the disk may be full.
    const created = await writeNew(
      Object.entries(files).map(([end, each]) => [`${stem}.${end}`, each]),
    );
    await rm(`${stem}.json`, { force: true });
    if (text === change.proposedText) await rm(`${stem}.text`, { force: true });
    for (const [from, to] of created) await rename(from, to);
    await this.#prune();
  }

  async #prune(): Promise<void> {
    const names = await readdir(this.#folder);
    if (names.length <= KEPT_CALLS) return;
    const folders = await Promise.all(
      names.map(async (name) => {
        const folder = path.join(this.#folder, name);
        return { folder, modified: (await stat(folder)).mtimeMs };
      }),
    );
    folders.sort((a, b) => b.modified - a.modified);
    for (const { folder } of folders.slice(KEPT_CALLS)) {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #callFolder({ sessionId, toolCallId }: CallKey): string {
    return path.join(this.#folder, toName(`${sessionId}\0${toolCallId}`));
  }

  #stem(call: CallKey, file: string): string {
    return path.join(this.#callFolder(call), toName(file));
  }
}

function toName(key: string): string {
  return sha256(key, 'hex').slice(0, 32);
}

type Written = readonly (readonly [file: string, text: string])[];

/** Replaces each file in one step, so that a crash leaves the old text or the new one. */
async function replace(files: Written): Promise<void> {
  for (const [from, to] of await writeNew(files)) await rename(from, to);
}

/** Writes the texts beside their files, and returns the names of both. Leaves nothing if one fails. */
async function writeNew(files: Written): Promise<readonly (readonly [string, string])[]> {
  const created: [string, string][] = [];
  try {
    for (const [file, text] of files) {
      written += 1;
      // Another window may store the same review at the same time.
      const name = `${file}.${process.pid}.${written}.new`;
      created.push([name, file]);
      await writeFile(name, text, { mode: 0o600 });
    }
  } catch (error) {
    for (const [name] of created) await rm(name, { force: true });
    throw error;
  }
  return created;
}

let written = 0;

function toRecordText({ kind }: ProposedChange, marks: ReviewMarks): string {
  return JSON.stringify({ kind, ...marks });
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

function parseRecord(
  json: string | undefined,
): { readonly kind: ProposedChange['kind']; readonly marks: ReviewMarks } | undefined {
  if (json === undefined) return undefined;
  const record = toRecord(parseJson(json));
  const kind = KINDS.find((each) => each === record['kind']);
  if (kind === undefined) return undefined;
  const kept = Array.isArray(record['kept']) ? record['kept'] : [];
  const reasons = Object.entries(toRecord(record['reasons'])).flatMap(([key, value]) => {
    const reason = asString(value);
    return reason === undefined ? [] : [[key, reason] as const];
  });
  return {
    kind,
    marks: {
      kept: kept.filter((each) => typeof each === 'string'),
      reasons: Object.fromEntries(reasons),
    },
  };
}

const KINDS = ['edit', 'create', 'delete', 'document'] as const;
