/** Secrets that are shorter are ordinary words too. */
const SHORTEST = 6;

/** The text without these secrets, user names and passwords in URLs, and what looks like a key. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let result = text;
  // The longest first: one may be the start of another.
  for (const secret of secrets.toSorted((one, other) => other.length - one.length)) {
    if (secret.length < SHORTEST) continue;
    for (const form of new Set([secret, encodeURIComponent(secret), inJson(secret)])) {
      result = result.replaceAll(form, '…');
    }
  }
  return result
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"'<>]+@/gi, '$1…@')
    .replace(/\b(sk-|Bearer )[\w.-]{8,}/g, '$1…');
}

/** As it stands within a JSON text. */
function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}
