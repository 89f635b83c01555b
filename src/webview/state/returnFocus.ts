/**
 * Gives the focus back to what had it last when the page gets it again. The browser takes it from the element
 * as soon as something outside of the page is focused by script, as VS Code does with its picks, and keys
 * would then go nowhere. If that element is gone, the message gets it. A click says itself what it focuses.
 */
export function returnFocus(): void {
  let last: HTMLElement | undefined;
  let isPressed = false;
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target !== document.body) last = target;
  });
  window.addEventListener('pointerdown', () => (isPressed = true), true);
  for (const type of ['pointerup', 'pointercancel', 'blur'])
    window.addEventListener(type, () => (isPressed = false), true);
  // What is focused by a key or a script has its focus only after this event.
  window.addEventListener('focus', () => queueMicrotask(() => !isPressed && giveBack(last)));
}

function giveBack(last: HTMLElement | undefined): void {
  const { activeElement, body } = document;
  if (!document.hasFocus() || (activeElement !== null && activeElement !== body)) return;
  const message = document.querySelector<HTMLElement>('.composer textarea');
  (last?.isConnected ? toHarmless(last) : message)?.focus({ preventScroll: true });
}

/** The card of a request in place of its buttons: the next key would press one. */
function toHarmless(element: HTMLElement): HTMLElement {
  const isText = element.matches('textarea, input:not([type]), input[type="text"]');
  return (isText ? null : element.closest<HTMLElement>('[data-ask]')) ?? element;
}
