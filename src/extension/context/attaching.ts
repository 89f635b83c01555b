import * as vscode from 'vscode';
import { getMessage } from '../../base/faults.ts';
import type { Attached, FoundContext } from '../../webview/messages/attached.ts';
import type { UserAction } from '../../webview/messages/messages.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import { toImageBlock } from './blocks.ts';
import type { AttachedContents } from './contents.ts';
import { type ChipContent, type ContextCandidate, LookUp, readCandidate } from './lookUp.ts';
import type { Composing } from './outbox.ts';
import { createSources, toFile, toFolder } from './sources.ts';
import type { TerminalOutput } from './terminalOutput.ts';

/** A view in which a message is written. */
export interface LookingUp extends Composing {
  found(request: number, entries: readonly FoundContext[]): void;
}

/** Finds what can be attached, and attaches it to the message that is written in a view. */
export class Attaching {
  readonly #contents: AttachedContents;
  readonly #lookUp: LookUp;
  readonly #t: Translate;

  constructor(contents: AttachedContents, terminal: TerminalOutput, t: Translate) {
    this.#contents = contents;
    this.#lookUp = new LookUp(createSources(t, terminal));
    this.#t = t;
  }

  /** Runs an action of a page. */
  async act(action: UserAction, view: LookingUp): Promise<void> {
    if (action.type === 'lookUp') {
      const tell = (entries: readonly FoundContext[]) => view.found(action.request, entries);
      // The page waits for an answer, also when nothing can be listed.
      tell(await this.#lookUp.find(action.query, tell).catch(() => []));
    } else if (action.type === 'attach') {
      await this.#attach(view, async () => [await this.#lookUp.read(action.id)]);
    } else if (action.type === 'attachUris') {
      await this.#attach(view, async () =>
        readFiles(action.uris.map((uri) => vscode.Uri.parse(uri, true))),
      );
    } else if (action.type === 'attachImage') {
      const { name: label, mediaType, base64 } = action;
      const content = toImageBlock(label, mediaType, base64);
      await this.#attach(view, async () => [{ chip: { kind: 'image', label }, content }]);
    }
  }

  /** Attaches files and folders. */
  async addUris(view: Composing, uris: readonly vscode.Uri[]): Promise<void> {
    await this.#attach(view, () => readFiles(uris));
  }

  /** Attaches what a command was run on. */
  async add(
    view: Composing,
    candidates: readonly ContextCandidate[],
    text?: string,
  ): Promise<void> {
    await this.#attach(view, () => Promise.all(candidates.map(readCandidate)), text);
  }

  async #attach(
    view: Composing,
    contents: () => Promise<readonly (ChipContent | undefined)[]>,
    text?: string,
  ): Promise<void> {
    try {
      const found = (await contents()).filter((each) => each !== undefined);
      const chips: Attached[] = [];
      for (const { chip, content } of found) chips.push(await this.#contents.add(chip, content));
      if (chips.length > 0 || text !== undefined) view.addToMessage(chips, text);
      else void vscode.window.showInformationMessage(this.#t('There is nothing to attach.'));
    } catch (error) {
      void vscode.window.showErrorMessage(plainNotice(getMessage(error)));
    }
  }
}

async function readFiles(
  uris: readonly vscode.Uri[],
): Promise<readonly (ChipContent | undefined)[]> {
  const candidates = uris.map(async (uri) => {
    const { type } = await vscode.workspace.fs.stat(uri);
    return type & vscode.FileType.Directory ? toFolder(uri) : toFile(uri);
  });
  return Promise.all((await Promise.all(candidates)).map(readCandidate));
}
