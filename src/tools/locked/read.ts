import { failure, type Outcome, success } from '../../base/outcome.ts';
import { KB } from '../../base/units.ts';
import { UNKNOWN_8BIT } from '../../runtime/files/encoding.ts';
import { TEXT_BYTES } from '../../runtime/limits.ts';
import type { Runtime, TextFile } from '../../runtime/runtime.ts';
import { cutUtf8 } from '../../runtime/text.ts';
import type { Tool } from '../contract.ts';
import { getCut, withCut } from '../truncate.ts';
import { RANGE_MARGIN, toByteRange } from './text/byteRange.ts';
import { describeBinary, describeKind } from './text/fileKinds.ts';
import { FILE_PATH } from './text/filePaths.ts';
import { lineEndByte } from './text/lineEnds.ts';

interface Args {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly byte_offset?: number;
  readonly byte_limit?: number;
}

interface Data {
  readonly content?: string;
  readonly head?: string;
  readonly total_lines?: number;
  readonly total_bytes: number;
  readonly note?: string;
}

/** Reads a file. More than 200 KB is returned in ranges, never as a copy (spec C-11, C-48, CA-12). */
export const read: Tool<Args, Data> = {
  id: 'read',
  kind: 'read',
  description:
    'Read a text file as numbered lines ("  12\\ttext"; the number and the tab are not part of the file). Sees unsaved changes in the editor. Notebooks come as cells; images and other binary files are described, not shown. At most 200 KB per call: of a larger file you get the head and its size; continue with offset and limit (lines), or with byte_offset and byte_limit where lines are very long. To find files use glob, to find text in files use grep.',
  parameters: {
    type: 'object',
    properties: {
      path: FILE_PATH,
      offset: { type: 'integer', minimum: 1, description: 'First line to read, from 1.' },
      limit: { type: 'integer', minimum: 1, description: 'Number of lines to read.' },
      byte_offset: {
        type: 'integer',
        minimum: 0,
        description: 'First byte to read, from 0, counted in UTF-8. Lines are then not numbered.',
      },
      byte_limit: { type: 'integer', minimum: 1, description: 'Number of bytes to read.' },
    },
    required: ['path'],
    additionalProperties: false,
  },
  output: ({ readBytes }) => ({ bytes: readBytes, text: 'content' }),
  requires: { families: ['fs.read'] },

  subjects: ({ path }) => [
    { permission: 'read', capability: 'fs.read', target: path, match: 'path' },
  ],
  title: ({ path }) => `Read ${path}`,

  async execute(args, runtime) {
    const file = await runtime.fs.readText(args.path);
    using _held = file.ok ? file.data : undefined;
    const described = await describe(args.path, file, runtime);
    if (described !== undefined) return success(described);
    const isRange = args.byte_offset !== undefined || args.byte_limit !== undefined;
    if (!file.ok) return isRange ? readHuge(args, runtime, file) : file;
    const { utf8 } = file.data;
    const read = isRange
      ? toByteRange({ bytes: utf8, at: 0, size: utf8.length }, ...getRange(args, runtime))
      : await toText(file.data, args, runtime);
    return read.ok ? success(withNote(read.data, file.data)) : read;
  },
};

async function toText(
  { path, utf8, document }: TextFile,
  args: Args,
  runtime: Runtime,
): Promise<Outcome<Data>> {
  // The model reads on under this name; a document without a file has only its URI.
  const whole = document?.path === null ? document.uri : path;
  if (path.endsWith('.ipynb')) {
    const { renderNotebook } = await import('./text/notebook.ts');
    const cells = renderNotebook(utf8.toString('utf8'));
    if (cells !== undefined) {
      return toLines(Buffer.from(cells), args, runtime, { whole, notebook: true });
    }
  }
  return toLines(utf8, args, runtime, { whole });
}

/** Warns the model when the encoding of the text is unknown. */
function withNote(data: Data, { encoding }: TextFile): Data {
  if (encoding.name !== UNKNOWN_8BIT) return data;
  const noted = { ...data, note: [data.note, NOT_UTF8].filter(Boolean).join(' ') };
  const cut = getCut(data);
  return cut === undefined ? noted : withCut(noted, cut.outputPath);
}

const NOT_UTF8 =
  'The file is not UTF-8, and no encoding is set for it: characters outside ASCII are shown as Latin-1 and may be wrong. Ask the user to set files.encoding.';

function getRange(args: Args, { limits }: Runtime): [start: number, max: number] {
  const max = Math.min(args.byte_limit ?? limits.readBytes, limits.readBytes);
  return [args.byte_offset ?? 0, max];
}

/** A file that is too large to load is read by bytes, without decoding. */
async function readHuge(
  args: Args,
  runtime: Runtime,
  refused: Outcome<never>,
): Promise<Outcome<Data>> {
  const facts = await runtime.fs.stat(args.path);
  if (!facts.ok || facts.data.size <= TEXT_BYTES) return refused;
  const [start, max] = getRange(args, runtime);
  const at = Math.max(0, start - RANGE_MARGIN);
  const part = await runtime.fs.readBytes(args.path, { start: at, max: max + 2 * RANGE_MARGIN });
  if (!part.ok) return part;
  return toByteRange({ ...part.data, at }, start, max);
}

/** Describes a file that is not text in one line; undefined for text, and for unreadable files. */
async function describe(
  path: string,
  file: Outcome<TextFile>,
  { fs }: Runtime,
): Promise<Data | undefined> {
  if (file.ok) {
    const { raw, encoding, path: real } = file.data;
    // Some kinds begin like text, and UTF-16 looks binary although it is text.
    if (raw === undefined || encoding.bom > 0) return undefined;
    const content = describeKind(raw, real, raw.length);
    return content === undefined ? undefined : { content, total_bytes: raw.length };
  }
  const probe = await fs.readBytes(path, { max: 16 * KB });
  if (!probe.ok) return undefined;
  const { bytes, path: real, size } = probe.data;
  const content = describeKind(bytes, real, size) ?? describeBinary(bytes, real, size);
  return content === undefined ? undefined : { content, total_bytes: size };
}

interface Origin {
  /** The file that holds the whole text (spec CA-12). */
  readonly whole: string;
  /** The lines come from rendered cells, so their positions are not positions in the file. */
  readonly notebook?: true;
}

/** Numbers lines, up to the limit. */
function toLines(
  utf8: Buffer,
  { offset = 1, limit = Infinity }: Args,
  { limits }: Runtime,
  { whole, notebook }: Origin,
): Outcome<Data> {
  const byte = lineEndByte(utf8);
  const from = lineStart(utf8, byte, offset);
  if (from === undefined) {
    const total = countLines(utf8, byte);
    return failure(`The file has ${total} lines; offset ${offset} is past its end.`);
  }
  const lines: string[] = [];
  let used = 0;
  let at = from;
  let line = offset;
  for (; at < utf8.length && line < offset + limit; line += 1) {
    const end = utf8.indexOf(byte, at);
    const next = end < 0 ? utf8.length : end + 1;
    const prefix = `${String(line).padStart(6)}\t`;
    const length = (end < 0 ? next : end) - at;
    if (used + prefix.length + length + 1 > limits.readBytes + 1) break;
    lines.push(prefix + utf8.toString('utf8', at, at + length).replace(/\r$/, ''));
    used += prefix.length + length + 1;
    at = next;
  }
  const cut = at < utf8.length && line < offset + limit;
  const data = { total_lines: countLines(utf8, byte), total_bytes: utf8.length };
  const content = lines.join('\n');
  if (!cut) return success({ content, ...data });

  const tooLong = lines.length === 0;
  const head = tooLong ? cutUtf8(utf8.subarray(at), limits.readBytes).toString('utf8') : content;
  const note = tooLong
    ? `Line ${line} alone is larger than the limit. Read ${notebook ? 'the source text of the notebook with byte_offset 0' : `it with byte_offset ${at}`} and byte_limit.`
    : `Lines ${offset} to ${line - 1} of ${data.total_lines}. Continue with offset ${line}.`;
  return success(withCut({ head, ...data, note }, whole));
}

function lineStart(utf8: Buffer, byte: number, line: number): number | undefined {
  let at = 0;
  for (let seen = 1; seen < line; seen += 1) {
    const end = utf8.indexOf(byte, at);
    if (end < 0 || end + 1 >= utf8.length) return undefined;
    at = end + 1;
  }
  return at;
}

function countLines(utf8: Buffer, byte: number): number {
  let lines = utf8.length > 0 && utf8.at(-1) !== byte ? 1 : 0;
  for (let at = utf8.indexOf(byte); at >= 0; at = utf8.indexOf(byte, at + 1)) lines += 1;
  return lines;
}
