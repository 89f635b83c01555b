import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { toDiffContent } from '../../../../src/acp/diffContent.ts';
import { readPermissionReplyMeta } from '../../../../src/acp/gatehouse/permission.ts';
import { toLineFeeds } from '../../../../src/diff/lineEnds.ts';
import { toPermissionReply } from '../../../../src/extension/asks/permissionAsk.ts';
import { Reviews } from '../../../../src/extension/review/editors/reviews.ts';
import type { ProposedFile } from '../../../../src/extension/review/proposal/proposedFile.ts';
import { ReviewStorage } from '../../../../src/extension/review/proposal/reviewStorage.ts';
import { ReviewStore } from '../../../../src/extension/review/proposal/reviewStore.ts';
import type { AskReply, AskRequest } from '../../../../src/gate/ask.ts';
import { createRandom, type Random } from '../../random.ts';
import { type Bed, openBed } from '../../tools/bed.ts';
import { openSession } from '../../tools/session.ts';
import { FakeClock } from '../fakeClock.ts';

/** `REVIEW_SEQUENCES=1000 node --test …` for the long run; `REVIEW_SEED` repeats one. */
const COUNT = Number(process.env['REVIEW_SEQUENCES'] ?? 60);
const FIRST_SEED = Number(process.env['REVIEW_SEED'] ?? 1);

test('whatever is proposed, typed and answered, the disk has what was approved and no text is lost', async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed += 1) {
    await play(seed).catch((error: unknown) => {
      throw new Error(`REVIEW_SEED=${seed} REVIEW_SEQUENCES=1: ${String(error)}`, { cause: error });
    });
  }
});

/** One file, a few proposals for it one after the other, and what the model says of its bytes. */
async function play(seed: number): Promise<void> {
  using bed = openBed();
  const random = createRandom(seed);
  const world = new World(bed, random);
  for (let call = 0; call < 3; call += 1) await world.call();
}

const MARK = '\ufeff';

/** What was answered, and what must be on disk then. */
interface Expected {
  readonly text: string;
  /** The text in which the user's words must still be found if it was not written. */
  readonly kept: { readonly file: ProposedFile; readonly text: string } | undefined;
}

class World {
  readonly #bed: Bed;
  readonly #random: Random;
  readonly #file: string;
  #lineEnd: string;
  readonly #mark: string;
  #typed = 0;
  #calls = 0;
  /** The file was there before the agent: its line ends and mark are its own. */
  readonly #isOwn: boolean;
  #store: ReviewStore;
  #reviews: Reviews;
  #expected: Expected = { text: '', kept: undefined };

  constructor(bed: Bed, random: Random) {
    this.#bed = bed;
    this.#random = random;
    this.#file = path.join(bed.workspace, 'file.txt');
    this.#lineEnd = this.#pick(['\n', '\r\n']);
    this.#mark = this.#pick(['', MARK]);
    [this.#store, this.#reviews] = this.#open();
    this.#isOwn = random(4) > 0;
    if (this.#isOwn) this.#write(`first\n${this.#lines(random(12))}`);
  }

  /** The agent proposes something, the user does something with it, and answers. */
  async call(): Promise<void> {
    const before = this.#read();
    // What line end a text without any gets is nobody's guess but LF.
    if (!before.includes('\n')) this.#lineEnd = '\n';
    await using session = openSession(this.#bed, { ask: (request) => this.#review(request) });
    this.#expected = { text: before, kept: undefined };
    await session.call('write', { path: 'file.txt', content: this.#change(before) });
    assert.equal(this.#raw(), this.#bytes(this.#expected.text));
    const { kept } = this.#expected;
    if (kept === undefined) return;
    const found = await this.#store.find(kept.file.change.call, this.#file);
    assert.equal(
      toLineFeeds(found?.text ?? ''),
      kept.text,
      'what was typed and not written is kept',
    );
  }

  async #review({ toolCallId, preview }: AskRequest): Promise<AskReply> {
    this.#calls += 1;
    const call = { sessionId: `session-${this.#calls}`, toolCallId };
    const content = toDiffContent(preview?.changes ?? []);
    const add = () => this.#reviews.add(toolCallId, call, content);
    let file = toFile(await add());
    const base = toLineFeeds(file.change.baseText);
    let shown = toLineFeeds(file.change.proposedText);
    let typedInFile = false;
    for (let step = this.#random(7); step > 0; step -= 1) {
      const kind = this.#pick(['type', 'reject', 'keep', 'restore', 'reload', 'file'] as const);
      if (kind === 'type') shown = this.#type(shown);
      if (kind === 'reject') shown = this.#swap(file, shown, 'pending');
      if (kind === 'restore') shown = this.#swap(file, shown, 'rejected');
      if (kind === 'keep') for (const { key } of file.hunks.slice(0, 1)) file.mark(key, true);
      if (kind === 'file' && this.#random(4) === 0) {
        typedInFile = true;
        this.#write(this.#type(this.#read()));
      }
      // The document shows all lines with one line end, which may not be the file's.
      const document = shown.replaceAll('\n', this.#pick(['\n', '\r\n']));
      file.edit(() => document);
      if (kind === 'reload') {
        await this.#store.flush();
        this.#store.dispose();
        [this.#store, this.#reviews] = this.#open();
        file = toFile(await add());
      }
      assert.equal(toLineFeeds(file.text), shown);
    }
    const answer = this.#pick(['approved', 'approved', 'rejected', 'withdrawn'] as const);
    const result = await this.#reviews.finish(toolCallId, answer);
    const nothingLeft = shown === base && file.edited;
    const written = answer === 'approved' && !typedInFile && !nothingLeft;
    this.#expected = {
      text: written ? shown : this.#read(),
      kept: written || answer === 'rejected' ? undefined : { file, text: shown },
    };
    if (answer === 'withdrawn') return { outcome: 'cancelled' };
    if (answer === 'rejected') return { outcome: 'reject' };
    // As it travels.
    const request = { sessionId: 'one', toolCall: { toolCallId }, options: [] };
    const answered = { kind: 'option', optionId: 'allow' } as const;
    const reply = toPermissionReply(answered, { request, ask: {} }, result);
    const { approved, reasons } = readPermissionReplyMeta(reply);
    return { outcome: 'allow', ...(approved && { approved }), ...(reasons && { reasons }) };
  }

  #open(): [ReviewStore, Reviews] {
    const store = new ReviewStore({
      storage: new ReviewStorage(path.join(this.#bed.data, 'reviews')),
      clock: new FakeClock(),
      onError: (error) => {
        throw error;
      },
    });
    const reviews = new Reviews({
      takeComments: () => undefined,
      ...{ store, readCurrent: async () => undefined, textKept: () => undefined },
      tabs: {
        open: async () => undefined,
        close: async () => undefined,
        becomeFile: async () => undefined,
        isOpen: () => true,
      },
    });
    return [store, reviews];
  }

  /** Reverts a hunk in the document, or puts it back, as our commands and the native arrows do. */
  #swap(file: ProposedFile, shown: string, state: 'pending' | 'rejected'): string {
    const found = file.hunks.filter((hunk) => hunk.state === state);
    const hunk = found[this.#random(Math.max(found.length, 1))];
    if (hunk === undefined) return shown;
    const [from, to] =
      state === 'pending' ? [hunk.newText, hunk.oldText] : [hunk.oldText, hunk.newText];
    const lines = shown.split(/(?<=\n)/);
    const start = lines.slice(0, hunk.newLine - 1).join('').length;
    assert.equal(shown.slice(start, start + from.length), from, `a ${state} hunk is at its lines`);
    return shown.slice(0, start) + to + shown.slice(start + from.length);
  }

  #type(text: string): string {
    this.#typed += 1;
    // An editor never splits a character.
    const at = [...text].slice(0, this.#random(text.length + 1)).join('').length;
    const typed = this.#pick([`<${this.#typed}>`, `<${this.#typed}>\n`, `\n<${this.#typed}>  \n`]);
    return text.slice(0, at) + typed + text.slice(at);
  }

  #change(text: string): string {
    const lines = text.split(/(?<=\n)/);
    const changed = lines.flatMap((line) => {
      const kind = this.#random(6);
      if (kind === 0) return [];
      if (kind === 1) return [`new ${line}`];
      return kind === 2 ? [line, 'added\n'] : [line];
    });
    const result = changed.join('');
    return result === text ? `${text}end` : result;
  }

  #lines(count: number): string {
    const lines = Array.from({ length: count }, () => `${this.#pick(['a', 'b', 'é😀', ''])}\n`);
    return lines.join('') + this.#pick(['', 'last']);
  }

  #write(text: string): void {
    writeFileSync(this.#file, this.#bytes(text));
  }

  #bytes(text: string): string {
    // A file that the agent creates has the agent's line ends, and no mark.
    return this.#isOwn ? this.#mark + text.replaceAll('\n', this.#lineEnd) : text;
  }

  #read(): string {
    return toLineFeeds(this.#raw().replace(MARK, ''));
  }

  #raw(): string {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : '';
  }

  #pick<Value>(values: readonly Value[]): Value {
    const value = values[this.#random(values.length)];
    if (value === undefined) throw new Error('There is nothing to pick from.');
    return value;
  }
}

function toFile(review: Awaited<ReturnType<Reviews['add']>>): ProposedFile {
  const [file] = review?.files ?? [];
  if (file === undefined) throw new Error('The proposal can not be reviewed.');
  return file;
}
