import type * as vscode from 'vscode';
import { asString, fieldAt } from '../../base/json.ts';

/** A session that no view shows any more. */
export interface ClosedSession {
  readonly id: string;
  readonly inEditor: boolean;
}

/** The key of the workspace state. */
const KEY = 'gatehouse.closedSessions';
const MOST = 20;

/** The sessions that were closed or left last, for *Reopen Last Closed Session*. */
export class ClosedSessions {
  readonly #memory: Pick<vscode.Memento, 'get' | 'update'>;

  constructor(memory: Pick<vscode.Memento, 'get' | 'update'>) {
    this.#memory = memory;
  }

  /** The one closed last comes first. */
  get all(): readonly ClosedSession[] {
    const stored = this.#memory.get<unknown>(KEY);
    return (Array.isArray(stored) ? stored : []).flatMap((each: unknown) => {
      const id = asString(fieldAt(each, 'id'));
      return id === undefined ? [] : [{ id, inEditor: fieldAt(each, 'inEditor') === true }];
    });
  }

  async add(closed: ClosedSession): Promise<void> {
    const others = this.all.filter(({ id }) => id !== closed.id);
    await this.#memory.update(KEY, [closed, ...others].slice(0, MOST));
  }

  /**
   * Takes the session closed last that no view shows and that still exists. Those before it are dropped:
   * they are open again, or deleted.
   */
  async take(
    isShown: (id: string) => boolean,
    exists: (id: string) => Promise<boolean>,
  ): Promise<ClosedSession | undefined> {
    for (const closed of this.all) {
      await this.#memory.update(
        KEY,
        this.all.filter(({ id }) => id !== closed.id),
      );
      if (!isShown(closed.id) && (await exists(closed.id))) return closed;
    }
    return undefined;
  }
}
