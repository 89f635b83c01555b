/** A complete file content: 256 KB of one letter, so that a mix of two is detected. */
export function contentOf(n: number): string {
  return String.fromCharCode(97 + (n % 26)).repeat(256 * 1024);
}
