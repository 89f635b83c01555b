import type { ComponentChildren } from 'preact';

/** Preformatted text in a box that can also be scrolled with the keyboard. */
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
