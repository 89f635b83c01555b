/** The longest head of `bytes` that fits `max` and ends at a character border (spec VC-44). */
export function cutUtf8(bytes: Buffer, max: number): Buffer {
  if (bytes.length <= max) return bytes;
  let end = max;
  // Continuation bytes look like 10xxxxxx; a cut in front of one would split a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

/** The longest head of `text` whose UTF-8 form fits `max` bytes. */
export function cutText(text: string, max: number): string {
  // No character takes more than three bytes for each UTF-16 unit.
  if (text.length * 3 <= max) return text;
  return cutUtf8(Buffer.from(text.slice(0, max + 1), 'utf8'), max).toString('utf8');
}
