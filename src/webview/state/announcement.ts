/**
 * The text to show in a live region after `before`. A screen reader says only what changes, and the same
 * text may follow for another file, so a space that is not spoken tells them apart.
 */
export function toAnnouncement(text: string, before: string): string {
  return text === before ? `${text}\u00a0` : text;
}
