import type { ToolCallContent } from '@agentclientprotocol/sdk';
import type * as vscode from 'vscode';
import { readDiffMeta } from '../../acp/gatehouse/session.ts';
import type { Disposable } from '../../base/disposable.ts';
import { applyFragments, type Fragment, reverseFragments } from '../../diff/fragments.ts';
import type { Translate } from '../text/translate.ts';

export const REVIEW_SCHEME = 'gatehouse-review';

/** The parts of the editor that showing a diff needs. */
export interface DiffEditor {
  readonly workspace: Pick<typeof vscode.workspace, 'openTextDocument'>;
  file(path: string): vscode.Uri;
  review(path: string): vscode.Uri;
  diff(left: vscode.Uri, right: vscode.Uri, title: string, options: DiffOptions): Promise<void>;
  /** Closes the diffs of one tool call. */
  close(prefix: string): Promise<void>;
  readonly t: Translate;
}

export interface DiffOptions {
  readonly preserveFocus: boolean;
  /** The next editor that opens does not take the tab. */
  readonly keepTab: boolean;
}

interface Proposal {
  readonly fragments: readonly Fragment[];
  readonly created: boolean;
}

/** A call of a session: two sessions may use the same id for a call. */
export interface CallKey {
  readonly sessionId: string;
  readonly toolCallId: string;
}

/** The proposals of this many calls can be opened again. */
const KEPT = 200;

/** Files of one proposal that open by themselves; the card opens the others. */
const OPENED = 10;

/**
 * Proposed and applied edits as read-only documents, by session, call and path. Nothing here touches the
 * disk: the left side is the file as it is, the right side what it would become.
 */
export class Proposals implements Disposable {
  readonly #editor: DiffEditor;
  readonly #calls = new Map<string, ReadonlyMap<string, Proposal>>();
  readonly #texts = new Map<string, string>();

  constructor(editor: DiffEditor) {
    this.#editor = editor;
  }

  /** Remembers the diffs of a call; later ones replace them, as `content` does. */
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

  /** Opens every file of a proposal, the first one in front. False when the call proposed nothing. */
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

  /** Opens one file's diff, with the focus. `applied`: the file already holds the new text. */
  show(call: CallKey, path: string, applied: boolean): Promise<boolean> {
    return this.#show(call, path, { applied, preserveFocus: false, keepTab: false });
  }

  has(call: CallKey): boolean {
    return this.#calls.has(toFolder(call));
  }

  /** Closes what was opened for a proposal that is decided. */
  closeDiffs(call: CallKey): Promise<void> {
    return this.#editor.close(`${toFolder(call)}proposed/`);
  }

  /** The text of a review document; for the content provider. */
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

  /** Undefined when there is no such text file; the fragments are shown then. */
  async #read(path: string): Promise<string | undefined> {
    try {
      return (await this.#editor.workspace.openTextDocument(this.#editor.file(path))).getText();
    } catch {
      return undefined;
    }
  }
}

/** Where the documents of a call lie. */
function toFolder({ sessionId, toolCallId }: CallKey): string {
  return `/${encodeURIComponent(sessionId)}/${encodeURIComponent(toolCallId)}/`;
}

/** Whole files where the fragments still fit the file, else the fragments themselves. */
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
