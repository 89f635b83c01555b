import { toMeta } from '../../acp/gatehouse/parse.ts';
import { readSessionLoadMeta, type SessionLoadQuery } from '../../acp/gatehouse/session.ts';
import type { AcpConnection } from '../host/connection.ts';
import type { Translate } from '../text/translate.ts';
import type { ChatSession } from './chatSession.ts';
import { describeError } from './errorCard.ts';
import { loadEarlier, TAIL } from './loading/loadEarlier.ts';
import { RunOnce } from './loading/runOnce.ts';
import { type SessionFolders, toFolderParams } from './loading/sessionFolders.ts';
import { toOptionUpdate } from './sessionChoices.ts';

export interface HistoriesParts {
  readonly t: Translate;
  folders(): SessionFolders;
  log(message: string): void;
}

/** Loads sessions from the host: their newest messages first, so that their end is in view at once. */
export class Histories {
  readonly #parts: HistoriesParts;
  /** The loads of older messages in progress. */
  readonly #earlier = new RunOnce<ChatSession, void>();

  constructor(parts: HistoriesParts) {
    this.#parts = parts;
  }

  /** Resolves when the end of the session is shown. */
  async load(connection: AcpConnection, session: ChatSession, sessionId: string): Promise<void> {
    // What is shown already is replaced as a whole.
    const query: SessionLoadQuery = session.hasHistory ? {} : { tail: TAIL };
    session.beginLoad();
    let loaded = false;
    let before: string | undefined;
    let rewound: boolean | undefined;
    try {
      const reply = await connection.loadSession({
        sessionId,
        ...toFolderParams(this.#parts.folders()),
        ...toMeta(query),
      });
      const meta = readSessionLoadMeta(reply);
      session.unfinished = meta.unfinished;
      ({ before, rewound } = meta);
      // Within the load, so that they are a part of what is shown then.
      if (reply.configOptions) session.update(toOptionUpdate(reply.configOptions));
      loaded = true;
      session.stale = false;
    } finally {
      session.endLoad(loaded);
    }
    if (rewound === true) offerUndo(session, this.#parts.t);
    if (before === undefined) return;
    const cursor = before;
    void this.#earlier.run(session, () => this.#loadEarlier(connection, session, cursor));
  }

  /** Resolves when all messages of the session are shown, or as many as could be loaded. */
  async whole(session: ChatSession): Promise<void> {
    await this.#earlier.get(session);
  }

  async #loadEarlier(
    connection: AcpConnection,
    session: ChatSession,
    before: string,
  ): Promise<void> {
    const { loads, id: sessionId = '' } = session;
    const { log, t } = this.#parts;
    const wanted = () => session.loads === loads && session.id === sessionId;
    const take = session.takeEarlier.bind(session);
    try {
      await loadEarlier({ connection, sessionId, before, wanted, take });
    } catch (error) {
      log(`Could not load earlier messages: ${describeError(error)}`);
      if (wanted())
        session.noteMissing(
          t('Earlier messages could not be loaded. Reload the window to see them.'),
        );
    }
  }
}

/** Unless a note from before the load does so already. */
function offerUndo(session: ChatSession, t: Translate): void {
  const isOffered = session.state.items.some((each) => {
    return each.kind === 'note' && each.command === 'undoRewind';
  });
  if (isOffered) return;
  session.offerUndo(t('You went back to an earlier message. What followed is hidden.'));
}
