import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { asString, toRecord } from '../../../base/json.ts';
import type { CallKey, ProposedChange, ReviewMarks } from './proposedFile.ts';
import { sha256 } from './sha256.ts';

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
  create({ change, text, marks }: StoredFile): Promise<void> {
    return this.#queue(async () => {
      const stem = this.#stem(change.call, change.path);
      await mkdir(path.dirname(stem), { recursive: true, mode: 0o700 });
      await rm(`${stem}.json`, { force: true });
      await replace(`${stem}.base`, change.baseText);
      await replace(`${stem}.proposed`, change.proposedText);
      // Without a text of its own it is as proposed.
      if (text === change.proposedText) await rm(`${stem}.text`, { force: true });
      else await replace(`${stem}.text`, text);
      await replace(`${stem}.json`, JSON.stringify({ kind: change.kind, ...marks }));
      await this.#prune();
    });
  }

  /** Stores what the user made of a proposal. */
  update({ change, text, marks }: StoredFile): Promise<void> {
    return this.#queue(async () => {
      const stem = this.#stem(change.call, change.path);
      await replace(`${stem}.text`, text);
      await replace(`${stem}.json`, JSON.stringify({ kind: change.kind, ...marks }));
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

/** Replaces a file in one step, so that a crash leaves the old text or the new one. */
async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
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
  const record = toRecord(JSON.parse(json));
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

const KINDS = ['edit', 'create', 'delete'] as const;
