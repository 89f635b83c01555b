import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { fill } from '../base/fill.ts';
import { Composer } from './composer/composer.tsx';
import { Banners, ChatHeader } from './header.tsx';
import type { LaterParts, ScriptLoaders } from './loadScript.ts';
import { createRenderer } from './markdown/render.ts';
import type { ChatState } from './messages/chatState.ts';
import type { Coloring } from './state/coloring.ts';
import { Surrounding } from './state/context.ts';
import { type Host, toSessionHost } from './state/host.ts';
import type { OutputStyles } from './state/outputStyles.ts';
import type { Store } from './state/store.ts';
import { untilLoaded } from './state/untilLoaded.ts';
import { Announcer } from './transcript/announcer.tsx';
import { Transcript } from './transcript/transcript.tsx';

export interface AppProps {
  readonly store: Store;
  readonly host: Host;
  readonly scripts: Pick<ScriptLoaders, 'later'>;
  readonly coloring: Coloring;
  readonly outputStyles: OutputStyles;
  /** Emits events that focus the composer or a card on the user's request, and texts to announce. */
  readonly focus: EventTarget;
}

/**
 * The chat. It renders the state and posts the user's actions. Transcript and announcer are keyed
 * by session; the page keeps where the reader was in each (`Kept`).
 */
export function App({ store, host, scripts, coloring, outputStyles, focus }: AppProps) {
  const [shown, setShown] = useState(store.shown);
  // At once: the snapshot may come before the page is painted.
  useLayoutEffect(() => {
    setShown(store.shown);
    return store.subscribe(setShown);
  }, [store]);
  const session = shown?.session;
  useEffect(() => {
    if (session === undefined) return undefined;
    const typed = () => host.post({ type: 'typed', session });
    document.addEventListener('keydown', typed);
    return () => document.removeEventListener('keydown', typed);
  }, [host, session]);
  const strings = shown?.strings;
  const render = useMemo(
    () => createRenderer(window, (key, ...values) => fill(strings?.[key] ?? '{0}', ...values)),
    [strings],
  );
  const options = shown?.state.options;
  // Each view that uses it is drawn again when it changes.
  const surroundings = useMemo(() => {
    if (session === undefined || strings === undefined || options === undefined) return undefined;
    const pending = () =>
      store.shown?.session === session ? store.shown.state.asks.map(({ id }) => id) : undefined;
    const own = toSessionHost(host, session, pending);
    return { host: own, strings, options, coloring, outputStyles, render };
  }, [host, store, session, strings, options, coloring, outputStyles, render]);
  const later = useLater(scripts, shown?.state);
  useEffect(() => later?.keepScreens(host, session), [host, session, later]);
  if (shown === undefined || surroundings === undefined) return null;
  const { state } = shown;
  return (
    <Surrounding.Provider value={surroundings}>
      <div class="chat">
        <ChatHeader state={state} />
        <Banners state={state} />
        <Transcript key={session} state={state} events={focus} later={later} />
        {later && <later.RetryLine retry={state.retry} />}
        {later && <later.AskCards asks={state.asks} request={state.request} focus={focus} />}
        {later && <later.Plan key={session} entries={state.plan} />}
        {later && <later.Unreviewed files={state.unreviewed} />}
        <Composer state={state} focus={focus} later={later} />
        <Announcer key={session} state={state} events={focus} />
      </div>
    </Surrounding.Provider>
  );
}

/** Loads what the first drawing does not need right after it. Without it a request could not be answered here. */
function useLater(
  scripts: Pick<ScriptLoaders, 'later'>,
  state: ChatState | undefined,
): LaterParts | undefined {
  const [later, setLater] = useState<LaterParts | undefined>(undefined);
  const drawn = state !== undefined;
  useEffect(() => (drawn ? untilLoaded(scripts.later, setLater, waitFor) : undefined), [drawn]);
  return later;
}

function waitFor(work: () => void, delay: number): () => void {
  const timer = setTimeout(work, delay);
  return () => clearTimeout(timer);
}
