/**
 * The text of a notice in which nothing is a link. VS Code makes links of `[text](command:…)` in notices,
 * which run the command when clicked, and names and errors may contain what an agent wrote.
 */
export function plainNotice(text: string): string {
  return text.replaceAll('](', '] (');
}
