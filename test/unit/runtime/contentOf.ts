/** A whole content of a file: 256 KB of one letter, so that a mix of two is seen. */
export function contentOf(n: number): string {
  return String.fromCharCode(97 + (n % 26)).repeat(256 * 1024);
}
