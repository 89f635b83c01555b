import { systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import type { Recorder } from '../../recorder/recorder.ts';
import { toNotice } from '../client/notice.ts';
import type { HostServicesOptions } from './hostServices.ts';

/** What happened to the history, told in every open chat and in the log. */
export interface HistoryNotices {
  add(text: string): void;
  /** Tells the session what it was not told yet, and what comes from now on. */
  opened(sessionId: string): void;
  closed(sessionId: string): void;
}

export type WatchedHistory = Pick<Recorder, 'notices' | 'onNotice' | 'checkDamage'>;

/** After the start, which reads much itself. Milliseconds. */
const CHECK_MS = 10_000;

/** Tells what the recorder has to say, and has a large history checked once, some time after the start. */
export function watchHistory(
  recorder: WatchedHistory,
  options: Pick<HostServicesOptions, 'client' | 'warn' | 'clock'>,
): HistoryNotices & Disposable {
  const notices = createHistoryNotices(options);
  for (const notice of recorder.notices) notices.add(notice);
  const listening = recorder.onNotice((notice) => notices.add(notice));
  const check = () => recorder.checkDamage().catch((fault) => notices.add(getMessage(fault)));
  const { clock = systemClock } = options;
  const timer = clock.after(CHECK_MS, () => void check());
  return {
    ...notices,
    dispose() {
      timer.dispose();
      listening.dispose();
    },
  };
}

function createHistoryNotices({
  client,
  warn,
}: Pick<HostServicesOptions, 'client' | 'warn'>): HistoryNotices {
  const texts: string[] = [];
  /** How many texts each open session was told. */
  const open = new Map<string, number>();

  function tell(sessionId: string): void {
    for (const text of texts.slice(open.get(sessionId) ?? 0)) {
      const update = toNotice(client.facts, TITLE, text);
      client.update(sessionId, update).catch((fault) => warn(getMessage(fault)));
    }
    open.set(sessionId, texts.length);
  }

  return {
    add(text) {
      warn(text);
      texts.push(text);
      for (const sessionId of open.keys()) tell(sessionId);
    },
    opened: tell,
    closed: (sessionId) => void open.delete(sessionId),
  };
}

const TITLE = 'The history of your chats needs your attention.';
