import { useEffect, useState } from 'preact/hooks';
import { ARM_DELAY } from '../messages/asks.ts';

type Box = { readonly current: HTMLElement | null };

/**
 * Whether the request in `box` can be answered. It can't for 600 ms after it appeared and after
 * anything in the box moved, because a click or key may be meant for what was there before. Repeated
 * keys never press a button.
 */
export function useArmed(box: Box, id: string | undefined): boolean {
  // By its id, so that the request that comes next is not armed before the effect runs.
  const [armedId, setArmedId] = useState<string | undefined>();
  useEffect(() => {
    const element = box.current;
    setArmedId(undefined);
    if (id === undefined || element === null) return undefined;
    return watchMoves(element, (armed) => setArmedId(armed ? id : undefined));
  }, [id]);
  return id !== undefined && armedId === id;
}

function watchMoves(box: HTMLElement, setArmed: (armed: boolean) => void): () => void {
  let layout = getLayout(box);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restart = () => {
    setArmed(false);
    clearTimeout(timer);
    timer = setTimeout(() => setArmed(true), ARM_DELAY);
  };
  const check = () => {
    const now = getLayout(box);
    if (now === layout) return false;
    layout = now;
    restart();
    return true;
  };
  // A click may come between a move and its observation.
  const onClick = (event: Event) => {
    if (!check()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const onKey = (event: KeyboardEvent) => {
    if (!event.repeat || (event.key !== 'Enter' && event.key !== ' ')) return;
    if (event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement)
      return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const resized = new ResizeObserver(check);
  // Whatever changes its size in the chat may move the box.
  for (const each of [box, ...box.children, ...(box.parentElement?.children ?? [])])
    resized.observe(each);
  const changed = new MutationObserver(check);
  changed.observe(box, { childList: true, subtree: true, characterData: true });
  const capture = { capture: true };
  document.addEventListener('scroll', check, capture);
  box.addEventListener('click', onClick, capture);
  box.addEventListener('keydown', onKey, capture);
  restart();
  return () => {
    clearTimeout(timer);
    resized.disconnect();
    changed.disconnect();
    document.removeEventListener('scroll', check, capture);
    box.removeEventListener('click', onClick, capture);
    box.removeEventListener('keydown', onKey, capture);
  };
}

/** Where the card and its buttons are, in whole pixels. */
function getLayout(box: HTMLElement): string {
  const elements = [...box.querySelectorAll('[data-ask], button')];
  return elements
    .map((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return [left, top, width, height].map(Math.round).join(',');
    })
    .join(' ');
}
