import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ErrorCard, Note } from '../cards/notes.tsx';
import { ToolCard } from '../cards/toolCard.tsx';
import { Button, Icon } from '../controls/icon.tsx';
import type { ChatItem, ChatState } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';
import { activityWords } from './announcer.tsx';
import { memo } from './memo.ts';
import { Message } from './message.tsx';

/** Items that are on the page at once; earlier ones come at the press of a button. */
const PAGE = 150;
/** How near to the end, in pixels, counts as being there. */
const NEAR = 32;

/** The conversation. It follows the end only while the reader is there. */
export function Transcript({ state }: { readonly state: ChatState }) {
  const { t, host } = useSurroundings();
  const [pages, setPages] = useState(1);
  const { box, content, pinned, jump, onScroll } = usePinned(state.items);
  const first = Math.max(0, state.items.length - PAGE * pages);
  const words = activityWords(state, t);
  useLinks(box, (href) => host.post({ type: 'openLink', href }));
  return (
    <main class="transcript-frame">
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <div
        class="transcript"
        ref={box}
        role="log"
        aria-live="off"
        aria-label={t('conversation')}
        tabIndex={0}
        onScroll={onScroll}
      >
        <div ref={content}>
          {state.items.length === 0 && <Empty />}
          {first > 0 && <Button onClick={() => setPages(pages + 1)}>{t('earlier')}</Button>}
          {state.items.slice(first).map((item) => (
            <Item key={item.id} item={item} />
          ))}
          {words !== '' && (
            <p class="activity" role="status">
              <Icon
                name={state.asks.length > 0 ? 'bell' : 'loading'}
                spin={state.asks.length === 0}
              />{' '}
              {words}
            </p>
          )}
        </div>
      </div>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: only the log. */}
      {!pinned && (
        <button type="button" class="jump" onClick={jump}>
          <Icon name="arrow-down" /> {t('jumpDown')}
        </button>
      )}
    </main>
  );
}

function Empty() {
  const { t } = useSurroundings();
  return (
    <div class="empty">
      <p class="empty-title">{t('empty')}</p>
      <p class="dim">{t('emptyHint')}</p>
    </div>
  );
}

/** Unchanged items keep their identity, so only what changed is rendered again. */
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
    case 'error':
      return <ErrorCard item={item} />;
  }
});

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR;
}

function usePinned(items: readonly ChatItem[]) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [pinned, setPinned] = useState(true);
  const top = useRef(0);
  const toEnd = () => {
    const element = box.current;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    top.current = element.scrollTop;
  };
  useLayoutEffect(() => {
    // What the user sends is always shown.
    if (items.at(-1)?.kind === 'user') atEnd.current = true;
    if (atEnd.current) toEnd();
    else setPinned(false);
  }, [items]);
  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    // Only who scrolls up leaves the end: the box may have shrunk since we scrolled there.
    if (isNearEnd(element)) {
      atEnd.current = true;
      setPinned(true);
    } else if (element.scrollTop < top.current) atEnd.current = false;
    top.current = element.scrollTop;
  };
  useEffect(() => {
    // A card that asks takes room from the box, and what is drawn late adds to its content.
    const observer = new ResizeObserver(() => {
      if (atEnd.current) toEnd();
    });
    for (const { current } of [box, content]) if (current) observer.observe(current);
    // What the reader opens stays where it was clicked: its content may leave the end below.
    const opened = () =>
      requestAnimationFrame(() => {
        if (box.current && !isNearEnd(box.current)) atEnd.current = false;
      });
    box.current?.addEventListener('click', opened);
    return () => {
      observer.disconnect();
      box.current?.removeEventListener('click', opened);
    };
  }, []);
  const jump = () => {
    atEnd.current = true;
    setPinned(true);
    toEnd();
  };
  return { box, content, pinned, jump, onScroll };
}

/** Links go through the extension, which knows what may be opened; the page itself goes nowhere. */
function useLinks(
  box: { readonly current: HTMLElement | null },
  open: (href: string) => void,
): void {
  useEffect(() => {
    const element = box.current;
    const follow = (event: Event) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (link === null) return;
      event.preventDefault();
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
