/**
 * The text of a notice, or the prompt of an input box, in which nothing is a link. VS Code makes links of
 * `[text](command:…)` there, which run the command when clicked, and names and errors may contain what an
 * agent wrote.
 */
export function plainNotice(text: string): string {
  return text.replaceAll('](', '] (');
}
