/**
 * The longest prefix of `bytes` that fits in `max` and ends at a character boundary (spec VC-44).
 */
export function cutUtf8(bytes: Buffer, max: number): Buffer {
  if (bytes.length <= max) return bytes;
  let end = max;
  // Continuation bytes have the form 10xxxxxx; cutting before one would split a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

/** The longest prefix of `text` that takes at most `max` bytes as UTF-8. */
export function cutText(text: string, max: number): string {
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= max) return text;
  return cutUtf8(Buffer.from(text.slice(0, max + 1), 'utf8'), max).toString('utf8');
}
