import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ErrorCard, Note } from '../cards/notes.tsx';
import { ToolCard } from '../cards/toolCard.tsx';
import { Button, Icon } from '../controls/icon.tsx';
import type { ChatItem, ChatState } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';
import { describeActivity } from './announcer.tsx';
import { memo } from './memo.ts';
import { Message } from './message.tsx';

/** Number of items rendered at first, and added each time the user asks for earlier ones. */
const PAGE = 150;
/** Distance from the end, in pixels, that still counts as being at the end. */
const NEAR = 32;

/** The conversation. It scrolls along with new content only while the user is at the end. */
export function Transcript({ state }: { readonly state: ChatState }) {
  const { t, host } = useSurroundings();
  const [pages, setPages] = useState(1);
  const { box, content, pinned, jump, onScroll } = usePinned(state.items);
  const first = Math.max(0, state.items.length - PAGE * pages);
  const words = describeActivity(state, t);
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
    // Always scroll to a message that the user sends.
    if (items.at(-1)?.kind === 'user') atEnd.current = true;
    if (atEnd.current) toEnd();
    else setPinned(false);
  }, [items]);
  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    // Only scrolling up leaves the end. The distance can also grow because the box shrank.
    if (isNearEnd(element)) {
      atEnd.current = true;
      setPinned(true);
    } else if (element.scrollTop < top.current) atEnd.current = false;
    top.current = element.scrollTop;
  };
  useEffect(() => {
    // A request card shrinks the box, and content that renders late grows it.
    const observer = new ResizeObserver(() => {
      if (atEnd.current) toEnd();
    });
    for (const { current } of [box, content]) if (current) observer.observe(current);
    // When the user expands an item, keep it where it is instead of scrolling to the end.
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

/** Sends clicked links to the extension, which checks them. The page itself never navigates. */
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
