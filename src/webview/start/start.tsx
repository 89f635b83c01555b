import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../controls/icon.tsx';
import type { StartOffer, StartState } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';

/** An empty chat: models to begin with if none is set, else what the workspace suggests to ask. */
export function Start({
  start,
  events,
}: {
  readonly start: StartState | undefined;
  /** Takes `focusComposer`. */
  readonly events: EventTarget;
}) {
  const { t } = useSurroundings();
  return (
    <div class="empty">
      <p class="empty-title">{t(start?.offers === undefined ? 'empty' : 'chooseFirstModel')}</p>
      <p class="dim">{t('emptyHint')}</p>
      {start?.offers === undefined ? (
        <Suggestions suggestions={start?.suggestions ?? []} events={events} />
      ) : (
        <Offers offers={start.offers} events={events} />
      )}
    </div>
  );
}

function Offers({
  offers,
  events,
}: {
  readonly offers: readonly StartOffer[];
  readonly events: EventTarget;
}) {
  const { t, host } = useSurroundings();
  const list = useLeaving(events);
  const once = useSingleClick();
  return (
    <ul class="start" aria-label={t('chooseFirstModel')} ref={list}>
      {offers.map(({ ref, label, detail }) => (
        <li key={ref}>
          <Button onClick={() => once(() => host.post({ type: 'useModel', ref }))}>
            <span class="start-label">{label}</span>
            <span class="start-detail">{detail}</span>
          </Button>
        </li>
      ))}
      <li>
        <Button onClick={() => host.post({ type: 'run', command: 'setModel' })}>
          <span class="start-label">{t(offers.length === 0 ? 'setModel' : 'otherModel')}</span>
        </Button>
      </li>
    </ul>
  );
}

function Suggestions({
  suggestions,
  events,
}: Pick<StartState, 'suggestions'> & { readonly events: EventTarget }) {
  const { t, host } = useSurroundings();
  const list = useLeaving(events);
  const once = useSingleClick();
  if (suggestions.length === 0) return null;
  return (
    <ul class="start" aria-label={t('startSuggestions')} ref={list}>
      {suggestions.map(({ label, text }) => (
        <li key={label}>
          <Button title={text} onClick={() => once(() => host.post({ type: 'send', text }))}>
            <span class="start-label">{label}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Gives the focus to the composer when the list goes while one of its buttons has it. */
function useLeaving(events: EventTarget) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    // Called before its elements are removed.
    return () => {
      if (!list.current?.contains(document.activeElement)) return;
      events.dispatchEvent(new Event('focusComposer'));
    };
  }, []);
  return list;
}

/** Milliseconds between the clicks of a double click. */
const DOUBLE_MS = 500;

/** Acts once for a double click: until the list goes, a second click would send the message again. */
function useSingleClick() {
  const last = useRef(Number.NEGATIVE_INFINITY);
  return (act: () => void) => {
    const now = performance.now();
    const isSecond = now - last.current < DOUBLE_MS;
    last.current = now;
    if (!isSecond) act();
  };
}
