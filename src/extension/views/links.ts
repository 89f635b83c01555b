const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** A link that may leave the chat, as it will be opened; undefined for everything else (corpus WE-023). */
export function allowedLink(href: string): string | undefined {
  const url = URL.parse(href.trim());
  return url !== null && SCHEMES.has(url.protocol) ? url.href : undefined;
}
