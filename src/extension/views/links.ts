const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** Normalizes a link that may be opened from the chat; undefined for others (corpus WE-023). */
export function allowedLink(href: string): string | undefined {
  const url = URL.parse(href.trim());
  return url !== null && SCHEMES.has(url.protocol) ? url.href : undefined;
}
