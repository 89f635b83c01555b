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
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps a content, and returns its chip. Throws with what to do instead if it is not accepted. */
  async add(chip: Omit<Attached, 'id'>, content: ContentBlock): Promise<Attached> {
    const attachment = parseContentBlock(content);
    const fault = attachment && (findAttachmentFault(attachment) ?? findImageFault(attachment));
    if (fault !== undefined) throw new Error(fault);
    const id = crypto.randomUUID();
    await this.#write(id, content);
    return { id, ...chip };
  }

  /** Keeps a content again under the id that it had. */
  putBack(id: string, content: ContentBlock): Promise<void> {
    return this.#inOrder(() => this.#write(id, content));
  }

  /** Removes a content that no draft has any more. */
  remove(id: string): Promise<void> {
    return this.#inOrder(() => rm(this.#file(id), { force: true }));
  }

  /** Undefined if it was removed meanwhile. */
  async get(id: string): Promise<ContentBlock | undefined> {
    if (!ID.test(id)) return undefined;
    const text = await readFile(this.#file(id), 'utf8').catch(() => undefined);
    const known = text === undefined ? undefined : parseContentBlock(parseJson(text));
    return known && toContentBlock(known);
  }

  async #write(id: string, content: ContentBlock): Promise<void> {
    try {
      this.#ready ??= this.#prepare();
      await this.#ready;
      await writeFile(this.#file(id), JSON.stringify(content), { mode: 0o600 });
    } catch (error) {
      // The next attempt creates the folder anew.
      this.#ready = undefined;
      throw error;
    }
  }

  /** A content that is removed and put back at once must stay. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
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
      // Another window may remove files meanwhile. One that can't be removed is no reason to keep no others.
      const stats = await stat(file).catch(() => undefined);
      if (stats === undefined || now - stats.mtimeMs <= KEPT) continue;
      await rm(file, { force: true }).catch(() => undefined);
    }
  }
}
