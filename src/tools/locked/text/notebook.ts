import { fieldAt, parseJson } from '../../../base/json.ts';

/** Renders a notebook as cells, each under a heading; undefined when the text is not a notebook. */
export function renderNotebook(text: string): string | undefined {
  const notebook = parseJson(text);
  const cells = fieldAt(notebook, 'cells');
  if (!Array.isArray(cells)) return undefined;
  return cells.map((cell: unknown, index) => renderCell(cell, index + 1)).join('\n\n');
}

function renderCell(cell: unknown, number: number): string {
  const type = String(fieldAt(cell, 'cell_type') ?? 'unknown');
  const id = fieldAt(cell, 'id');
  const heading = `--- cell ${number}: ${type}${typeof id === 'string' ? ` (id ${id})` : ''} ---`;
  const outputs = fieldAt(cell, 'outputs');
  const shown = Array.isArray(outputs) ? outputs.map(renderOutput).filter(Boolean) : [];
  return [heading, joined(fieldAt(cell, 'source')), ...shown].join('\n');
}

function renderOutput(output: unknown): string {
  const text = fieldAt(output, 'text') ?? fieldAt(fieldAt(output, 'data'), 'text/plain');
  const fault = fieldAt(output, 'evalue');
  if (typeof fault === 'string') return `--- error ---\n${fieldAt(output, 'ename')}: ${fault}`;
  if (text !== undefined) return `--- output ---\n${joined(text)}`;
  const data = fieldAt(output, 'data');
  const types = typeof data === 'object' && data !== null ? Object.keys(data).join(', ') : '';
  return types === '' ? '' : `--- output: ${types}, not shown ---`;
}

function joined(source: unknown): string {
  return Array.isArray(source) ? source.join('') : String(source ?? '');
}
