/**
 * Gives the focus back to what had it last when the page gets it again. The browser takes it from the element
 * as soon as something outside of the page is focused by script, as VS Code does with its picks, and keys
 * would then go nowhere. If that element is gone, the message gets it, also in a page that has the focus before
 * it has drawn its message, as when the user opens the view. A click says itself what it focuses.
 */
export function returnFocus(): void {
  let last: HTMLElement | undefined;
  let isPressed = false;
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target !== document.body) last = target;
  });
  window.addEventListener('pointerdown', () => (isPressed = true), true);
  for (const type of ['pointerup', 'pointercancel'])
    window.addEventListener(type, () => (isPressed = false), true);
  // That of the window only: what had the focus loses it by the click itself.
  window.addEventListener('blur', () => (isPressed = false));
  const give = () => {
    if (isPressed || !isFree()) return;
    const element = last?.isConnected ? toHarmless(last) : findMessage();
    element?.focus({ preventScroll: true });
  };
  // What is focused by a key or a script has its focus only after this event.
  window.addEventListener('focus', () => queueMicrotask(give));
  whenDrawn(give);
}

/** Whether the page has the focus and nothing in it does. */
function isFree(): boolean {
  const { activeElement, body } = document;
  return document.hasFocus() && (activeElement === null || activeElement === body);
}

function findMessage(): HTMLElement | null {
  return document.querySelector<HTMLElement>('.composer textarea');
}

/** Calls back once the page has a message to write. */
function whenDrawn(then: () => void): void {
  const changes = new MutationObserver(() => {
    if (findMessage() === null) return;
    changes.disconnect();
    then();
  });
  changes.observe(document.documentElement, { childList: true, subtree: true });
}

/** The card of a request in place of its buttons: the next key would press one. */
function toHarmless(element: HTMLElement): HTMLElement {
  const isText = element.matches('textarea, input:not([type]), input[type="text"]');
  return (isText ? null : element.closest<HTMLElement>('[data-ask]')) ?? element;
}
