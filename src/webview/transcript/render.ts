import createDOMPurify, { type WindowLike } from 'dompurify';
import { ALLOWED, createMarkdown } from './markdown.ts';

/** Renders Markdown to sanitized HTML. */
export function createRenderer(
  window: WindowLike,
  imageLabel: (alt: string) => string,
): (text: string) => string {
  const markdown = createMarkdown(imageLabel);
  const purify = createDOMPurify(window);
  const config = { ALLOWED_TAGS: [...ALLOWED.tags], ALLOWED_ATTR: [...ALLOWED.attributes] };
  return (text) => purify.sanitize(markdown(text), config);
}
