import type { PageFocus } from '../messages/messages.ts';
import type { Host, Kept } from './host.ts';

export interface FocusWatch {
  /** Posts where the focus is, if that has changed. */
  report(): void;
  /** Answers a ping. */
  pong(ping: number): void;
}

/** Tells the extension whether the page has the focus and the composer is empty. */
export function watchFocus(host: Pick<Host, 'post' | 'kept'>): FocusWatch {
  let posted: PageFocus = { focused: false, empty: false };
  const read = (): PageFocus => ({
    focused: document.hasFocus(),
    empty: isEmpty(host.kept()) && !isInCard(),
  });
  const post = (focus: PageFocus) => {
    if (focus.focused === posted.focused && focus.empty === posted.empty) return;
    posted = focus;
    host.post({ type: 'focus', ...focus });
  };
  window.addEventListener('focus', () => post(read()));
  window.addEventListener('blur', () => post({ ...read(), focused: false }));
  return {
    report: () => post(read()),
    pong(ping) {
      posted = read();
      host.post({ type: 'pong', ping, ...posted });
    },
  };
}

function isEmpty({ draft, attached }: Kept): boolean {
  return draft === '' && attached.length === 0;
}

/** Whether the user is answering in a card: a quick pick would take the focus from it. */
function isInCard(): boolean {
  return document.activeElement?.closest('[data-ask]') != null;
}
