import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatState } from '../messages/chatState.ts';
import { toAnnouncement } from '../state/announcement.ts';
import { useSurroundings } from '../state/context.ts';

/** Maximum length of one announcement, in characters. */
const SPOKEN = 400;

export interface AnnouncerProps {
  readonly state: ChatState;
  /** Emits `announce` with the text to say. */
  readonly events: EventTarget;
}

/**
 * Announces the agent's activity, completed answers, decisions about single changes and, assertively,
 * pending requests to screen readers. The transcript itself is not live, because it would be read while
 * it streams.
 */
export function Announcer({ state, events }: AnnouncerProps) {
  const { t } = useSurroundings();
  const [spoken, setSpoken] = useState('');
  const [told, setTold] = useState('');
  useEffect(() => {
    const tell = (event: Event) => {
      if (!(event instanceof CustomEvent)) return;
      const text = String(event.detail.text);
      setTold((before) => toAnnouncement(text, before));
    };
    events.addEventListener('announce', tell);
    return () => events.removeEventListener('announce', tell);
  }, [events]);
  const before = useRef(state.activity);
  useEffect(() => {
    if (before.current === state.activity) return;
    const ended = before.current !== 'idle' && state.activity === 'idle';
    before.current = state.activity;
    setSpoken(ended ? lastAnswer(state) : describeActivity(state, t));
  }, [state.activity]);
  const ask = state.asks.find(({ id }) => id === state.request?.askId) ?? state.asks[0];
  const urgent =
    ask === undefined
      ? ''
      : ask.kind === 'permission'
        ? t('permissionNeeded', ask.title)
        : t('question', ask.message);
  return (
    <div class="hidden">
      <div aria-live="polite">{spoken}</div>
      <div aria-live="polite">{told}</div>
      <div aria-live="assertive">{urgent}</div>
    </div>
  );
}

function lastAnswer(state: ChatState): string {
  const last = state.items.findLast(({ kind }) => kind === 'agent' || kind === 'error');
  return last !== undefined && 'text' in last ? last.text.slice(0, SPOKEN) : '';
}

/** A short label for the current activity; empty when idle. */
export function describeActivity(
  { activity, asks }: ChatState,
  t: ReturnType<typeof useSurroundings>['t'],
): string {
  if (activity !== 'idle' && asks.length > 0) return t('waiting');
  switch (activity) {
    case 'starting':
      return t('starting');
    case 'running':
      return t('running');
    case 'stopping':
      return t('stopping');
    case 'restarting':
      return t('restarting');
    case 'idle':
      return '';
  }
}
