import type { ComponentChildren } from 'preact';

/** Text that keeps its lines and may be longer than its box: the keyboard can scroll it too. */
export function Scrolled({
  children,
  class: classes,
}: {
  readonly children: ComponentChildren;
  readonly class?: string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <pre tabIndex={0} {...(classes !== undefined && { class: classes })}>
      {children}
    </pre>
  );
}
