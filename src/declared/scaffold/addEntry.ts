import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  modify,
  parseTree,
} from 'jsonc-parser';

/** Adds an entry to a `tools.json`; every other byte stays as it was written. */
export function addEntry(text: string, entry: object): string {
  const base = text.trim() === '' ? '{\n  "tools": []\n}\n' : text;
  const root = parseTree(base);
  const list = root && findNodeAtLocation(root, ['tools']);
  const last = list?.children?.at(-1);
  const format = detectFormat(base);
  if (last === undefined) {
    const edits = modify(base, ['tools', -1], entry, {
      formattingOptions: format,
      isArrayInsertion: true,
    });
    return applyEdits(base, edits);
  }
  const [, margin = ''] = /\n([ \t]*)[^\n]*$/.exec(base.slice(0, last.offset)) ?? [];
  const eol = format.eol ?? '\n';
  const indent = format.insertSpaces ? ' '.repeat(format.tabSize ?? 2) : '\t';
  const written = JSON.stringify(entry, undefined, indent).replaceAll('\n', `${eol}${margin}`);
  const end = last.offset + last.length;
  return `${base.slice(0, end)},${eol}${margin}${written}${base.slice(end)}`;
}

/** The indentation and line ends that the text already has. */
function detectFormat(text: string): FormattingOptions {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const insertSpaces = !indent.startsWith('\t');
  return {
    insertSpaces,
    tabSize: insertSpaces ? indent.length : 1,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
