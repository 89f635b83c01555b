import * as vscode from 'vscode';
import { getMessage } from '../../base/faults.ts';
import type { FoundContext } from '../../webview/messages/attached.ts';
import type { AttachAction } from '../../webview/messages/messages.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import { toImageBlock } from './blocks.ts';
import type { AttachedContents } from './contents.ts';
import { type ContextCandidate, type ContextSources, LookUp, readCandidate } from './lookUp.ts';
import { type Attachable, Readings, type ToRead } from './readings.ts';
import { createSources, toFile, toFolder } from './sources.ts';
import type { TerminalOutput } from './terminalOutput.ts';

/** A view in which a message is written. */
export interface LookingUp extends Attachable {
  found(request: number, entries: readonly FoundContext[]): void;
}

/** Finds what can be attached, and attaches it to the message that is written in a view. */
export class Attaching {
  readonly #readings: Readings;
  readonly #lookUp: LookUp;
  readonly #t: Translate;

  constructor(
    contents: AttachedContents,
    terminal: TerminalOutput,
    servers: Pick<ContextSources, 'resources' | 'prompts'>,
    t: Translate,
  ) {
    this.#readings = new Readings(contents, t);
    this.#lookUp = new LookUp({ ...createSources(t, terminal), ...servers });
    this.#t = t;
  }

  /** Runs an action of a page. */
  async act(action: AttachAction, view: LookingUp): Promise<void> {
    switch (action.type) {
      case 'lookUp': {
        const tell = (entries: readonly FoundContext[]) => view.found(action.request, entries);
        // The page waits for an answer, also when nothing can be listed.
        const { query, commands } = action;
        const found = commands ? this.#lookUp.findPrompts(query) : this.#lookUp.find(query, tell);
        tell(await found.catch(() => []));
        break;
      }
      case 'takePrompt':
        await this.#takePrompt(action.id, view);
        break;
      case 'attach':
        await this.#readings.answer(view, action.request, () => this.#lookUp.read(action.id));
        break;
      case 'attachUri':
        await this.#readings.answer(view, action.request, async () =>
          readFile(vscode.Uri.parse(action.uri, true)),
        );
        break;
      case 'attachImage': {
        const { name: label, mediaType, base64 } = action;
        const content = toImageBlock(label, mediaType, base64);
        const found = { chip: { kind: 'image', label } as const, content };
        await this.#readings.answer(view, action.request, async () => found);
        break;
      }
      case 'stillReading':
        this.#readings.answerLost(view, action.requests);
    }
  }

  /** Puts a prompt into the message, where the user sees it before it is sent. */
  async #takePrompt(id: string, view: Attachable): Promise<void> {
    try {
      const filled = await this.#lookUp.fill(id);
      if (filled === undefined) return;
      const chip = { kind: 'image', label: this.#t('Picture') } as const;
      const images = filled.images.map(
        (content): ToRead => ({ chip, read: async () => ({ chip, content }) }),
      );
      await this.#readings.add(view, images, filled.text);
    } catch (error) {
      void vscode.window.showErrorMessage(plainNotice(getMessage(error)));
    }
  }

  /** Attaches files and folders. */
  async addUris(view: Attachable, uris: readonly vscode.Uri[]): Promise<void> {
    await this.#add(
      view,
      uris.map((uri) => ({
        // Whether it is a folder is not known yet.
        chip: { kind: 'file', label: toFile(uri).label },
        read: () => readFile(uri),
      })),
    );
  }

  /** Attaches what a command was run on. */
  async add(
    view: Attachable,
    candidates: readonly ContextCandidate[],
    text?: string,
  ): Promise<void> {
    const toRead = (candidate: ContextCandidate): ToRead => {
      const { kind, label, chip = label } = candidate;
      return { chip: { kind, label: chip }, read: () => readCandidate(candidate) };
    };
    await this.#add(view, candidates.map(toRead), text);
  }

  async #add(view: Attachable, all: readonly ToRead[], text?: string): Promise<void> {
    if (all.length > 0 || text !== undefined) await this.#readings.add(view, all, text);
    else void vscode.window.showInformationMessage(this.#t('There is nothing to attach.'));
  }
}

async function readFile(uri: vscode.Uri) {
  const { type } = await vscode.workspace.fs.stat(uri);
  return readCandidate(type & vscode.FileType.Directory ? toFolder(uri) : toFile(uri));
}
