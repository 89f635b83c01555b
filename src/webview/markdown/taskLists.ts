import type { MarkdownIt, Token } from 'markdown-it';

const BOX = /^\[([ xX])\] +/;

/** Shows `[ ]` and `[x]` at the start of a list item as a box that can't be clicked. */
export function addTaskLists(
  markdown: MarkdownIt,
  labels: (key: 'taskDone' | 'taskOpen') => string,
): void {
  markdown.core.ruler.after('inline', 'task-lists', ({ tokens, Token: Made }) => {
    for (const [at, token] of tokens.entries()) {
      const text = firstText(tokens, at);
      const box = text === undefined ? null : BOX.exec(text.content);
      if (text === undefined || box === null) continue;
      text.content = text.content.slice(box[0].length);
      const mark = new Made('task', 'span', 0);
      mark.meta = { done: box[1] !== ' ' };
      tokens[at + 2]?.children?.unshift(mark);
      token.attrSet('class', 'task');
    }
  });
  markdown.renderer.rules['task'] = (tokens, index) => {
    const done = tokens[index]?.meta?.['done'] === true;
    const label = markdown.utils.escapeHtml(labels(done ? 'taskDone' : 'taskOpen'));
    return `<span role="img" aria-label="${label}">${done ? '☑' : '☐'}</span> `;
  };
}

/** The text that a list item begins with. */
function firstText(tokens: readonly Token[], at: number): Token | undefined {
  if (tokens[at]?.type !== 'list_item_open' || tokens[at + 1]?.type !== 'paragraph_open') {
    return undefined;
  }
  const first = tokens[at + 2]?.children?.[0];
  return first?.type === 'text' ? first : undefined;
}
