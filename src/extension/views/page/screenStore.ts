import { lstatSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJson, toRecord } from '../../../base/json.ts';
import { sha256 } from '../../../base/text/sha256.ts';
import { parseScreen, type ScreenNode } from '../../../webview/messages/screen.ts';

/** Sessions whose screens are kept. The oldest are removed first. */
const MOST_SCREENS = 8;
/** Larger files were not written here. */
const MOST_BYTES = 2_000_000;

/**
 * The last screens of sessions, a file for each in the extension's own folder of the workspace: never in the workspace
 * itself. A page that is opened anew shows one until its session is loaded. What is read is parsed like a message
 * of a page, and dropped with the file unless this version of the extension wrote it for this session.
 */
export class ScreenStore {
  readonly #folder: string;
  readonly #version: string;
  readonly #log: (message: string) => void;
  /** Writes and removals run one after the other, so that nothing comes back that was removed. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string, version: string, log: (message: string) => void) {
    this.#folder = path.join(folder, 'screens');
    this.#version = version;
    this.#log = log;
  }

  /** At once, because it stands in the first HTML of the page. */
  read(sessionId: string): readonly ScreenNode[] | undefined {
    const kept = parseFile(readOwn(this.#file(sessionId)));
    if (kept?.session === sessionId && kept.version === this.#version) return kept.nodes;
    return undefined;
  }

  /** Keeps the screen of a session instead of an earlier one, or none. */
  keep(sessionId: string, nodes: readonly ScreenNode[] | undefined): Promise<void> {
    if (nodes === undefined) return this.remove(sessionId);
    const text = JSON.stringify({ version: this.#version, session: sessionId, nodes });
    return this.#queue(async () => {
      const file = this.#file(sessionId);
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFile(`${file}.new`, text, { mode: 0o600 });
      await rename(`${file}.new`, file);
      await this.#removeOldest();
    });
  }

  remove(sessionId: string): Promise<void> {
    return this.#queue(async () => {
      const file = this.#file(sessionId);
      // A window that was killed may have left a file that it was writing.
      for (const each of [file, `${file}.new`]) await rm(each, { force: true });
    });
  }

  /**
   * Removes the screens of sessions that are not there any more: another window, or a program, deleted them. The
   * sessions are listed once, and not at all without a screen.
   */
  sweep(listSessions: () => Promise<ReadonlySet<string>>): Promise<void> {
    return this.#queue(async () => {
      const names = await this.#names();
      if (names.length === 0) return;
      const sessions = await listSessions();
      for (const name of names) {
        const file = path.join(this.#folder, name);
        const kept = parseFile(readOwn(file));
        if (kept !== undefined && name.endsWith('.json') && sessions.has(kept.session)) continue;
        await rm(file, { force: true });
      }
    });
  }

  /** Resolves when everything given so far is done. */
  async settled(): Promise<void> {
    await this.#last;
  }

  async #removeOldest(): Promise<void> {
    const names = (await this.#names()).filter((name) => name.endsWith('.json'));
    const files = names.map((name) => path.join(this.#folder, name));
    const aged = await Promise.all(
      files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })),
    );
    const old = aged.sort((one, other) => other.at - one.at).slice(MOST_SCREENS);
    for (const { file } of old) await rm(file, { force: true });
  }

  async #names(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(() => []);
  }

  #file(sessionId: string): string {
    return path.join(this.#folder, `${sha256(sessionId, 'hex').slice(0, 32)}.json`);
  }

  /** A screen that can't be kept or removed only costs time at the next reload. */
  #queue(run: () => Promise<void>): Promise<void> {
    const done = this.#last.then(run).catch((error: unknown) => {
      this.#log(`Could not keep or remove the last screen of a session: ${String(error)}`);
    });
    this.#last = done;
    return done;
  }
}

/** The text of a regular file: nothing is followed out of the folder. */
function readOwn(file: string): string | undefined {
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function parseFile(text: string | undefined) {
  if (text === undefined) return undefined;
  const { version, session, nodes } = toRecord(parseJson(text));
  const parsed = parseScreen(nodes);
  if (typeof version !== 'string' || typeof session !== 'string' || parsed === undefined) {
    return undefined;
  }
  return { version, session, nodes: parsed };
}
