/**
 * Wraps a text that others wrote in `<tag name="…">`. The tag is one that the text does not close, so that
 * the text can't pass for something outside of its frame.
 */
export function frameText(
  name: string,
  facts: readonly (readonly [name: string, value: string])[],
  content: string,
): string {
  const tag = toFreeTag(name, content);
  const attributes = facts.map(([fact, value]) => ` ${fact}="${escapeValue(value)}"`).join('');
  return `<${tag}${attributes}>\n${content}\n</${tag}>`;
}

/** One pass over the content, however many ends it holds: a file may be made of nothing else. */
function toFreeTag(name: string, content: string): string {
  const plain = content.toLowerCase().replace(/\s+/g, '');
  if (!plain.includes(`</${name}`)) return name;
  const taken = new Set<string>();
  for (const [, digits = ''] of plain.matchAll(new RegExp(`</${name}-(\\d{1,8})`, 'g'))) {
    // The end of `attachment-23` begins like that of `attachment-2`.
    for (let length = 1; length <= digits.length; length++) taken.add(digits.slice(0, length));
  }
  let count = 2;
  while (taken.has(String(count))) count++;
  return `${name}-${count}`;
}

function escapeValue(value: string): string {
  return toOneLine(value)
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

export function toOneLine(value: string): string {
  return value.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
