/** A notebook as its cells, each under a heading; undefined when the text is no notebook. */
export function renderNotebook(text: string): string | undefined {
  const notebook = parse(text);
  const cells = fieldOf(notebook, 'cells');
  if (!Array.isArray(cells)) return undefined;
  return cells.map((cell: unknown, index) => renderCell(cell, index + 1)).join('\n\n');
}

function renderCell(cell: unknown, number: number): string {
  const type = String(fieldOf(cell, 'cell_type') ?? 'unknown');
  const id = fieldOf(cell, 'id');
  const heading = `--- cell ${number}: ${type}${typeof id === 'string' ? ` (id ${id})` : ''} ---`;
  const outputs = fieldOf(cell, 'outputs');
  const shown = Array.isArray(outputs) ? outputs.map(renderOutput).filter(Boolean) : [];
  return [heading, joined(fieldOf(cell, 'source')), ...shown].join('\n');
}

function renderOutput(output: unknown): string {
  const text = fieldOf(output, 'text') ?? fieldOf(fieldOf(output, 'data'), 'text/plain');
  const fault = fieldOf(output, 'evalue');
  if (typeof fault === 'string') return `--- error ---\n${fieldOf(output, 'ename')}: ${fault}`;
  if (text !== undefined) return `--- output ---\n${joined(text)}`;
  const data = fieldOf(output, 'data');
  const types = typeof data === 'object' && data !== null ? Object.keys(data).join(', ') : '';
  return types === '' ? '' : `--- output: ${types}, not shown ---`;
}

function joined(source: unknown): string {
  return Array.isArray(source) ? source.join('') : String(source ?? '');
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
