import createDOMPurify, { type WindowLike } from 'dompurify';
import { ALLOWED, createMarkdown, isAllowedLink, type MarkdownLabels } from './markdown.ts';

const CLASSES: ReadonlySet<string> = new Set(ALLOWED.classes);

/** Renders Markdown to sanitized HTML. */
export function createRenderer(
  window: WindowLike,
  labels: MarkdownLabels,
): (text: string) => string {
  const markdown = createMarkdown(labels);
  const purify = createDOMPurify(window);
  purify.addHook('uponSanitizeAttribute', (_, attribute) => {
    const { attrName, attrValue } = attribute;
    if (attrName === 'class') attribute.keepAttr = CLASSES.has(attrValue);
    if (attrName === 'tabindex') attribute.keepAttr = attrValue === '0';
    if (attrName !== 'href') return;
    // The library takes `app.ts:10` for a scheme.
    attribute.keepAttr = isAllowedLink(attrValue);
    if (attribute.keepAttr) attribute.forceKeepAttr = true;
  });
  const config = { ALLOWED_TAGS: [...ALLOWED.tags], ALLOWED_ATTR: [...ALLOWED.attributes] };
  return (text) => purify.sanitize(markdown(text), config);
}
