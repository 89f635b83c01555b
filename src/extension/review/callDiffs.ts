import type { ToolCallContent } from '@agentclientprotocol/sdk';
import type * as vscode from 'vscode';
import { readDiffMeta } from '../../acp/gatehouse/session.ts';
import type { Disposable } from '../../base/disposable.ts';
import { applyFragments, type Fragment, reverseFragments } from '../../diff/fragments.ts';
import type { Translate } from '../text/translate.ts';
import type { CallKey } from './proposal/proposedFile.ts';
import type { ReviewAddress } from './proposal/reviewUri.ts';

/** The parts of the editor that are used to show diffs. */
export interface DiffEditor {
  readonly workspace: Pick<typeof vscode.workspace, 'openTextDocument'>;
  file(path: string): vscode.Uri;
  review(address: ReviewAddress): vscode.Uri;
  diff(left: vscode.Uri, right: vscode.Uri, title: string): Promise<void>;
  open(document: vscode.Uri): Promise<void>;
  readonly t: Translate;
}

interface FileDiff {
  readonly fragments: readonly Fragment[];
  readonly created: boolean;
  /** A document of its own, which no file has. */
  readonly document: boolean;
}

/** Maximum number of calls whose diffs are kept. */
const KEPT = 200;

/**
 * The read-only diffs that cards show: of applied changes, and of proposals that can't be reviewed as
 * whole files. By session, call and path.
 */
export class CallDiffs implements Disposable {
  readonly #editor: DiffEditor;
  readonly #calls = new Map<string, ReadonlyMap<string, FileDiff>>();
  readonly #texts = new Map<string, string>();

  constructor(editor: DiffEditor) {
    this.#editor = editor;
  }

  /** Stores the diffs of a call and replaces earlier ones, like `content` in ACP. */
  keep(call: CallKey, content: readonly ToolCallContent[]): void {
    const files = new Map<string, FileDiff>();
    for (const part of content) {
      if (part.type !== 'diff') continue;
      const { line, document = false } = readDiffMeta(part);
      const fragment: Fragment = {
        oldText: part.oldText ?? '',
        newText: part.newText,
        ...(line !== undefined && { line }),
      };
      const known = files.get(part.path);
      files.set(part.path, {
        fragments: [...(known?.fragments ?? []), fragment],
        created: known?.created ?? part.oldText == null,
        document,
      });
    }
    if (files.size === 0) return;
    this.#calls.set(toPrefix(call), files);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > KEPT && oldest !== undefined) this.#drop(oldest);
  }

  /** Opens and focuses the diff of a file, or of the call's first one. False if there is none. */
  async show(call: CallKey, path: string | undefined, applied: boolean): Promise<boolean> {
    const files = this.#calls.get(toPrefix(call));
    const [first] = files?.keys() ?? [];
    const file = path ?? first;
    const diff = file === undefined ? undefined : files?.get(file);
    if (file === undefined || diff === undefined) return false;
    if (diff.document) {
      const text = diff.fragments.map(({ newText }) => newText).join('\n');
      await this.#editor.open(this.#document({ call, path: file, side: 'after' }, text));
      return true;
    }
    const current = diff.created && !applied ? '' : await this.#read(file);
    const sides = toSides(diff, current, applied);
    const name = file.split(/[\\/]/).at(-1) ?? file;
    const { t } = this.#editor;
    const title = applied
      ? t('{0} (changed by Gatehouse)', name)
      : t('{0} (proposal, not applied)', name);
    const left = this.#document({ call, path: file, side: 'before' }, sides.before);
    const right = this.#document({ call, path: file, side: 'after' }, sides.after);
    const isFile = current !== undefined && sides.whole;
    await this.#editor.diff(
      isFile && !applied && !diff.created ? this.#editor.file(file) : left,
      isFile && applied ? this.#editor.file(file) : right,
      title,
    );
    return true;
  }

  /** The text of a side that was shown. */
  text(address: ReviewAddress): string | undefined {
    return this.#texts.get(toTextKey(address));
  }

  dispose(): void {
    this.#calls.clear();
    this.#texts.clear();
  }

  #document(address: ReviewAddress, text: string): vscode.Uri {
    this.#texts.set(toTextKey(address), text);
    return this.#editor.review(address);
  }

  #drop(prefix: string): void {
    this.#calls.delete(prefix);
    for (const key of this.#texts.keys()) if (key.startsWith(prefix)) this.#texts.delete(key);
  }

  /**
   * The text of the file; undefined if it can't be read as text, and only the fragments are shown.
   */
  async #read(path: string): Promise<string | undefined> {
    try {
      return (await this.#editor.workspace.openTextDocument(this.#editor.file(path))).getText();
    } catch {
      return undefined;
    }
  }
}

/** The start of the keys of a call's texts. */
function toPrefix({ sessionId, toolCallId }: CallKey): string {
  return `${JSON.stringify([sessionId, toolCallId])}\n`;
}

function toTextKey({ call, path, side }: ReviewAddress): string {
  return `${toPrefix(call)}${side}\n${path}`;
}

/** The complete files if the fragments still match the file, or else only the fragments. */
function toSides({ fragments }: FileDiff, current: string | undefined, applied: boolean) {
  const other =
    current === undefined
      ? undefined
      : applyFragments(current, applied ? reverseFragments(fragments) : fragments);
  if (current === undefined || other === undefined) {
    return {
      before: fragments.map(({ oldText }) => oldText).join('\n'),
      after: fragments.map(({ newText }) => newText).join('\n'),
      whole: false,
    };
  }
  return applied
    ? { before: other, after: current, whole: true }
    : { before: current, after: other, whole: true };
}
