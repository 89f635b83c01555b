import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatState } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';

/** Maximum length of one announcement, in characters. */
const SPOKEN = 400;

/**
 * Announces the agent's activity, completed answers and, assertively, pending requests to screen
 * readers. The transcript itself is not live, because it would be read while it streams.
 */
export function Announcer({ state }: { readonly state: ChatState }) {
  const { t } = useSurroundings();
  const [spoken, setSpoken] = useState('');
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
