import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CompactionCard, ErrorCard, Note } from '../cards/notes.tsx';
import { ToolCard } from '../cards/toolCard.tsx';
import { Icon } from '../controls/icon.tsx';
import { followsLink } from '../markdown/linkClicks.ts';
import { memo } from '../markdown/memo.ts';
import type { ChatItem, ChatState } from '../messages/chatState.ts';
import type { SubagentStates } from '../messages/subagents.ts';
import { Start } from '../start/start.tsx';
import { useSurroundings } from '../state/context.ts';
import { type SubagentRowsContext, SubagentSurrounding } from '../state/subagents.ts';
import { describeActivity } from './announcer.tsx';
import { useCopy } from './copy.ts';
import { FindBar } from './findBar.tsx';
import { Looks } from './looks.tsx';
import { Message, toHeading } from './message.tsx';
import type { OpenBar } from './openBar.tsx';
import { useReading } from './reading.ts';
import { useRoving } from './roving.ts';
import { useRowNumbers } from './rowNumbers.ts';
import { findRow, type Row, toRows } from './rows.ts';
import type { List } from './virtualList.ts';

const ACTIVITY = 'activity';
const NO_SUBAGENTS: SubagentStates = {};

/** What the conversation uses once it is loaded. */
export interface TranscriptParts {
  readonly OpenBar: typeof OpenBar;
  toPlainText(markdown: string): string;
}

/** The conversation. Only the rows near the view are drawn. */
export function Transcript({
  state,
  later,
  events,
}: {
  readonly state: ChatState;
  /** What is loaded after the first drawing. */
  readonly later: TranscriptParts | undefined;
  /** Takes `announce` with what a screen reader says. */
  readonly events: EventTarget;
}) {
  const { t, host, options } = useSurroundings();
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const rows = useMemo(
    () => toRows(state.items, options.expandTools !== 'all'),
    [state.items, options.expandTools],
  );
  const words = describeActivity(state, t);
  const keys = useKeys(rows, words !== '');
  const last = state.items.at(-1);
  const reading = useReading(box, content, {
    ...{ rows, keys, sent: last?.kind === 'user' ? last.id : undefined },
  });
  const { list } = reading;
  useLinks(box, (href) => host.post({ type: 'openLink', href }));
  const roving = useRoving(box, list, keys);
  const leave = () => roving.go(keys.length - 1);
  useRowNumbers(content, rows.length);
  useReveal(events, (id) => {
    const row = findRow(rows, id);
    if (row === -1) return;
    reading.leave();
    roving.go(row);
  });
  useCopy(box, rows, later?.toPlainText, () => announce(events, t('copied')));
  const nested = useNested(state.subagents);
  const { drawn, above, below } = getDrawn(list);
  return (
    <main class="transcript-frame">
      <div
        class="transcript"
        ref={box}
        role="log"
        aria-live="off"
        aria-label={t('conversation')}
        onScroll={reading.onScroll}
        {...roving.box}
      >
        {keys.length === 0 && <Start start={state.header.start} events={events} />}
        <TurnHeading items={state.items} first={rows[drawn[0]?.index ?? 0]} />
        <div ref={content} style={{ paddingTop: `${above}px`, paddingBottom: `${below}px` }}>
          <SubagentSurrounding.Provider value={nested}>
            {drawn.map(({ index, key }) => (
              <div class="row-box" key={key} data-index={index} ref={list.measureElement}>
                <RowView row={rows[index]} asks={state.asks.length > 0} words={words} />
              </div>
            ))}
          </SubagentSurrounding.Provider>
        </div>
      </div>
      <FindBar
        {...{ box, list, rows, OpenBar: later?.OpenBar, subagents: state.subagents }}
        onGo={reading.leave}
      />
      {!reading.follows && <Jump last={last} jump={reading.jump} leave={leave} />}
    </main>
  );
}

/** The rows that are drawn, and the heights of those above and below them. */
function getDrawn(list: List) {
  const drawn = list.getVirtualItems();
  const above = drawn[0]?.start ?? 0;
  return { drawn, above, below: list.getTotalSize() - (drawn.at(-1)?.end ?? 0) };
}

/**
 * Goes to the end, and says whether something came since the reader left it. The button goes then, and `leave`
 * gives its focus to the last row.
 */
function Jump({
  last,
  jump,
  leave,
}: {
  readonly last: ChatItem | undefined;
  readonly jump: () => void;
  readonly leave: () => void;
}) {
  const { t } = useSurroundings();
  const [known] = useState(last);
  const onClick = () => {
    jump();
    leave();
  };
  return (
    <button type="button" class="jump" onClick={onClick}>
      <Icon name="arrow-down" /> {t(last === known ? 'jumpToEnd' : 'jumpDown')}
    </button>
  );
}

/** The same array while the keys are the same: with another one, the list measures all of its rows. */
function useKeys(rows: readonly Row[], active: boolean): readonly string[] {
  const last = useRef<readonly string[]>([]);
  const keys = useMemo(
    () => [...rows.map(({ key }) => key), ...(active ? [ACTIVITY] : [])],
    [rows, active],
  );
  const { current } = last;
  const same = keys.length === current.length && keys.every((key, at) => key === current[at]);
  if (!same) last.current = keys;
  return last.current;
}

/** The last row, which is no item, says what the agent does. */
function RowView({
  row,
  asks,
  words,
}: {
  readonly row: Row | undefined;
  readonly asks: boolean;
  readonly words: string;
}) {
  if (row?.kind === 'item') return <Item item={row.item} />;
  if (row?.kind === 'looks') return <Looks id={row.key} items={row.items} />;
  return (
    <p class="activity" role="status" tabIndex={-1}>
      <Icon name={asks ? 'bell' : 'loading'} spin={!asks} /> {words}
    </p>
  );
}

/**
 * The heading of a turn whose begin is not drawn: without it, those of its rows would have none above
 * them.
 */
function TurnHeading({
  items,
  first,
}: {
  readonly items: readonly ChatItem[];
  readonly first: Row | undefined;
}) {
  const { t } = useSurroundings();
  const item = first?.kind === 'looks' ? first.items[0] : first?.item;
  if (item === undefined || item.kind === 'user') return null;
  const before = findBefore(items, item);
  const text = before?.kind === 'user' ? t('userSaid', toHeading(before.text)) : t('conversation');
  return <h2 class="hidden">{text}</h2>;
}

function findBefore(items: readonly ChatItem[], item: ChatItem): ChatItem | undefined {
  let found = false;
  return items.findLast((each) => {
    found ||= each === item;
    return found && each.kind === 'user';
  });
}

/** Unchanged items keep their identity, so only changed items are rendered again. */
const Item = memo(function Item({ item }: { readonly item: ChatItem }) {
  switch (item.kind) {
    case 'user':
    case 'agent':
    case 'thought':
      return <Message item={item} />;
    case 'tool':
      return <ToolCard item={item} />;
    case 'note':
      return <Note item={item} />;
    case 'compaction':
      return <CompactionCard item={item} />;
    case 'error':
      return <ErrorCard item={item} />;
  }
});

function useNested(states: SubagentStates = NO_SUBAGENTS): SubagentRowsContext {
  return useMemo(() => ({ states, draw: drawItem }), [states]);
}

/** Also draws what a subagent did, in the card of the call that started it. */
function drawItem(item: ChatItem) {
  return <Item item={item} />;
}

/** Goes to the item that the extension names. */
function useReveal(events: EventTarget, reveal: (id: string) => void): void {
  const latest = useRef(reveal);
  latest.current = reveal;
  useEffect(() => {
    const onReveal = (event: Event) => {
      if (event instanceof CustomEvent) latest.current(String(event.detail.id));
    };
    events.addEventListener('revealItem', onReveal);
    return () => events.removeEventListener('revealItem', onReveal);
  }, [events]);
}

function announce(events: EventTarget, text: string): void {
  events.dispatchEvent(new CustomEvent('announce', { detail: { text } }));
}

/** Sends clicked links to the extension, which checks them. The page itself never navigates. */
function useLinks(
  box: { readonly current: HTMLElement | null },
  open: (href: string) => void,
): void {
  useEffect(() => {
    const element = box.current;
    const follow = (event: MouseEvent) => {
      if (!followsLink(event)) return;
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (link === null) return;
      event.preventDefault();
      // On the web, VS Code listens too, and would open it a second time.
      event.stopPropagation();
      open(link.getAttribute('href') ?? '');
    };
    element?.addEventListener('click', follow);
    element?.addEventListener('auxclick', follow);
    return () => {
      element?.removeEventListener('click', follow);
      element?.removeEventListener('auxclick', follow);
    };
  }, []);
}
