import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { toContentBlock } from '../../acp/contentBlock.ts';
import { parseJson } from '../../base/json.ts';
import { findAttachmentFault, findImageFault } from '../../base/stream/attachment.ts';
import { parseContentBlock } from '../../base/stream/contentBlock.ts';
import type { Attached } from '../../webview/messages/attached.ts';

/** How long a draft keeps what is attached to it, in milliseconds. */
const KEPT = 30 * 24 * 60 * 60 * 1000;
const ID = /^[0-9a-f-]{36}$/;

/**
 * What is attached to drafts, on disk, so that a reload of the window keeps it. Pages only have the
 * ids.
 */
export class AttachedContents {
  readonly #folder: string;
  #ready: Promise<unknown> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps a content, and returns its chip. Throws with what to do instead if it is not accepted. */
  async add(chip: Omit<Attached, 'id'>, content: ContentBlock): Promise<Attached> {
    const attachment = parseContentBlock(content);
    const fault = attachment && (findAttachmentFault(attachment) ?? findImageFault(attachment));
    if (fault !== undefined) throw new Error(fault);
    this.#ready ??= this.#prepare();
    await this.#ready;
    const id = crypto.randomUUID();
    await writeFile(this.#file(id), JSON.stringify(content), { mode: 0o600 });
    return { id, ...chip };
  }

  /** Undefined if it was removed meanwhile. */
  async get(id: string): Promise<ContentBlock | undefined> {
    if (!ID.test(id)) return undefined;
    const text = await readFile(this.#file(id), 'utf8').catch(() => undefined);
    const known = text === undefined ? undefined : parseContentBlock(parseJson(text));
    return known && toContentBlock(known);
  }

  #file(id: string): string {
    return path.join(this.#folder, `${id}.json`);
  }

  /** Creates the folder and removes what no draft can still want. */
  async #prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const now = Date.now();
    for (const name of await readdir(this.#folder)) {
      const file = path.join(this.#folder, name);
      const { mtimeMs } = await stat(file);
      if (now - mtimeMs > KEPT) await rm(file, { force: true });
    }
  }
}
