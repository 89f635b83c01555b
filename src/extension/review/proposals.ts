import type { ToolCallContent } from '@agentclientprotocol/sdk';
import type * as vscode from 'vscode';
import { readDiffMeta } from '../../acp/gatehouse/session.ts';
import type { Disposable } from '../../base/disposable.ts';
import { applyFragments, type Fragment, reverseFragments } from '../../diff/fragments.ts';
import type { Translate } from '../text/translate.ts';

export const REVIEW_SCHEME = 'gatehouse-review';

/** The parts of the editor that are used to show diffs. */
export interface DiffEditor {
  readonly workspace: Pick<typeof vscode.workspace, 'openTextDocument'>;
  file(path: string): vscode.Uri;
  review(path: string): vscode.Uri;
  diff(left: vscode.Uri, right: vscode.Uri, title: string, options: DiffOptions): Promise<void>;
  /** Closes the diffs of a tool call. */
  close(prefix: string): Promise<void>;
  readonly t: Translate;
}

export interface DiffOptions {
  readonly preserveFocus: boolean;
  /** Keeps the tab open when another editor opens (not a preview tab). */
  readonly keepTab: boolean;
}

interface Proposal {
  readonly fragments: readonly Fragment[];
  readonly created: boolean;
}

/** Identifies a tool call. Call ids are only unique within a session. */
export interface CallKey {
  readonly sessionId: string;
  readonly toolCallId: string;
}

/** Maximum number of calls whose proposals are kept. */
const KEPT = 200;

/** Maximum number of files of a proposal that open automatically. The card opens the others. */
const OPENED = 10;

/**
 * Proposed and applied edits as read-only documents, by session, call and path. Nothing is written
 * to disk: the left side is the current file, the right side is the proposed content.
 */
export class Proposals implements Disposable {
  readonly #editor: DiffEditor;
  readonly #calls = new Map<string, ReadonlyMap<string, Proposal>>();
  readonly #texts = new Map<string, string>();

  constructor(editor: DiffEditor) {
    this.#editor = editor;
  }

  /** Stores the diffs of a call and replaces earlier ones, like `content` in ACP. */
  keep(call: CallKey, content: readonly ToolCallContent[]): void {
    const files = new Map<string, Proposal>();
    for (const part of content) {
      if (part.type !== 'diff') continue;
      const { line } = readDiffMeta(part);
      const fragment: Fragment = {
        oldText: part.oldText ?? '',
        newText: part.newText,
        ...(line !== undefined && { line }),
      };
      const known = files.get(part.path);
      files.set(part.path, {
        fragments: [...(known?.fragments ?? []), fragment],
        created: known?.created ?? part.oldText == null,
      });
    }
    if (files.size === 0) return;
    this.#calls.set(toFolder(call), files);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > KEPT && oldest !== undefined) this.#drop(oldest);
  }

  /** Opens the files of a proposal, with the first one active. False if there is no proposal. */
  async open(call: CallKey, preserveFocus: boolean): Promise<boolean> {
    const paths = [...(this.#calls.get(toFolder(call))?.keys() ?? [])].slice(0, OPENED);
    const [first, ...rest] = paths;
    if (first === undefined) return false;
    const keepTab = rest.length > 0;
    for (const path of rest.reverse()) {
      await this.#show(call, path, { applied: false, preserveFocus: true, keepTab });
    }
    return this.#show(call, first, { applied: false, preserveFocus, keepTab });
  }

  /** Opens and focuses a file's diff. `applied`: the file already contains the new text. */
  show(call: CallKey, path: string, applied: boolean): Promise<boolean> {
    return this.#show(call, path, { applied, preserveFocus: false, keepTab: false });
  }

  has(call: CallKey): boolean {
    return this.#calls.has(toFolder(call));
  }

  /** Closes the diffs of a proposal after the user's decision. */
  closeDiffs(call: CallKey): Promise<void> {
    return this.#editor.close(`${toFolder(call)}proposed/`);
  }

  /** The text of a review document, for the content provider. */
  text(path: string): string {
    return this.#texts.get(path) ?? '';
  }

  dispose(): void {
    this.#calls.clear();
    this.#texts.clear();
  }

  async #show(
    call: CallKey,
    path: string,
    { applied, ...options }: DiffOptions & { readonly applied: boolean },
  ): Promise<boolean> {
    const proposal = this.#calls.get(toFolder(call))?.get(path);
    if (proposal === undefined) return false;
    const current = proposal.created && !applied ? '' : await this.#read(path);
    const sides = toSides(proposal, current, applied);
    const name = path.split(/[\\/]/).at(-1) ?? path;
    const { t } = this.#editor;
    const title = applied
      ? t('{0} (changed by Gatehouse)', name)
      : t('{0} (proposal, not applied)', name);
    const left = this.#document(call, path, 'before', sides.before);
    const right = this.#document(call, path, applied ? 'after' : 'proposed', sides.after);
    const onDisk = current !== undefined && sides.whole;
    await this.#editor.diff(
      onDisk && !applied && !proposal.created ? this.#editor.file(path) : left,
      onDisk && applied ? this.#editor.file(path) : right,
      title,
      options,
    );
    return true;
  }

  #document(call: CallKey, path: string, side: string, text: string): vscode.Uri {
    const name = path.replaceAll('\\', '/').replace(/^\/+/, '');
    const key = `${toFolder(call)}${side}/${name}`;
    this.#texts.set(key, text);
    return this.#editor.review(key);
  }

  #drop(folder: string): void {
    this.#calls.delete(folder);
    for (const key of this.#texts.keys()) if (key.startsWith(folder)) this.#texts.delete(key);
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

/** The path prefix of a call's documents. */
function toFolder({ sessionId, toolCallId }: CallKey): string {
  return `/${encodeURIComponent(sessionId)}/${encodeURIComponent(toolCallId)}/`;
}

/** The complete files if the fragments still match the file, or else only the fragments. */
function toSides({ fragments }: Proposal, current: string | undefined, applied: boolean) {
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
