/** Whether a title says no more than the text does: it is the text, or its beginning and `…`. */
export function isHeadOf(title: string, text: string): boolean {
  return text.trimStart().startsWith(title.replace(/ ?…$/, ''));
}
