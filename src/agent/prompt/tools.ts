/** The request declares each tool with its description and schema, so the prompt doesn't list them again. */
export function toolsSection(tools: number): string {
  if (tools === 0) return '';
  return '# Tools\nThe tools are declared with this request. Call them directly; calls that do not depend on each other may go out together.';
}
