import { useLayoutEffect } from 'preact/hooks';

/**
 * Tells screen readers which of `count` rows each drawn one is: they can't count those that are not
 * drawn. Not as properties of the rows, all of which would be rendered again with each new one.
 */
export function useRowNumbers(
  content: { readonly current: HTMLElement | null },
  count: number,
): void {
  useLayoutEffect(() => {
    for (const row of content.current?.querySelectorAll<HTMLElement>('.row-box') ?? []) {
      const article = row.querySelector('article');
      setNumber(article, 'aria-posinset', Number(row.dataset['index']) + 1);
      setNumber(article, 'aria-setsize', count);
    }
  });
}

function setNumber(element: Element | null, name: string, value: number): void {
  if (element?.getAttribute(name) !== String(value)) element?.setAttribute(name, String(value));
}
