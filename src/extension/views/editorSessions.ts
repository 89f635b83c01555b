import type * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';

/** A chat in an editor, as VS Code gives it back after a reload: by its tab's title. */
export interface EditorSession {
  readonly title: string;
  readonly sessionId: string;
}

/** Workspace state key of the sessions that editors show. */
const KEY = 'gatehouse.editorSessions';

/**
 * The sessions that editors show, stored whenever they change. The page of an editor keeps its session too,
 * but VS Code stores what pages keep only now and then, and loses it when the window is reloaded before.
 */
export class EditorSessions {
  readonly #state: Pick<vscode.Memento, 'get' | 'update'>;
  /** Those of the last run that no editor of this one shows yet. */
  #earlier: readonly EditorSession[];
  readonly #open = new Map<object, EditorSession>();

  constructor(state: Pick<vscode.Memento, 'get' | 'update'>) {
    this.#state = state;
    const stored = state.get<unknown>(KEY);
    this.#earlier = Array.isArray(stored) ? stored.flatMap(parse) : [];
  }

  /** The session of an editor that VS Code restores without what its page kept. */
  find(title: string): string | undefined {
    return this.#earlier.find((each) => each.title === title)?.sessionId;
  }

  /** An editor shows this; undefined: it shows a new chat, or was closed. */
  show(editor: object, shown: EditorSession | undefined): void {
    const known = this.#open.get(editor);
    if (known?.sessionId === shown?.sessionId && known?.title === shown?.title) return;
    if (shown === undefined) this.#open.delete(editor);
    else this.#open.set(editor, shown);
    this.#earlier = this.#earlier.filter(({ sessionId }) => sessionId !== shown?.sessionId);
    // Editors that are not in view are restored when they are.
    void this.#state.update(KEY, [...this.#earlier, ...this.#open.values()].slice(-MOST));
  }
}

/** Tabs that were closed while nobody looked must not fill the state. */
const MOST = 50;

function parse(value: unknown): readonly EditorSession[] {
  if (!isRecord(value)) return [];
  const { title, sessionId } = value;
  if (typeof title !== 'string' || typeof sessionId !== 'string') return [];
  return [{ title, sessionId }];
}
