/** Describes a file in one line if its first bytes identify its kind; else undefined. */
export function describeKind(bytes: Buffer, path: string, size: number): string | undefined {
  const kind = KINDS.find(
    ({ magic, at = 0, wordy }) =>
      bytes.subarray(at, at + magic.length).equals(Buffer.from(magic, 'latin1')) &&
      !(wordy && isText(bytes)),
  );
  if (kind === undefined) return undefined;
  return toLine([kind.label, kind.measure?.(bytes)].filter(Boolean).join(', '), path, size);
}

/** Describes a binary file of unknown kind in one line; undefined when it may be text. */
export function describeBinary(bytes: Buffer, path: string, size: number): string | undefined {
  return isText(bytes) ? undefined : toLine('binary file', path, size);
}

function isText(bytes: Buffer): boolean {
  return !bytes.subarray(0, 8000).includes(0);
}

function toLine(label: string, path: string, size: number): string {
  return `${path}: ${label}, ${size} bytes. Its content is not text and is not shown.`;
}

interface Kind {
  readonly label: string;
  readonly magic: string;
  readonly at?: number;
  /** Text may begin with these characters too. */
  readonly wordy?: true;
  measure?(bytes: Buffer): string | undefined;
}

const KINDS: readonly Kind[] = [
  { label: 'PNG image', magic: '\x89PNG\r\n', measure: (b) => pixels(b, 16, 20) },
  { label: 'JPEG image', magic: '\xff\xd8\xff' },
  {
    label: 'GIF image',
    magic: 'GIF8',
    wordy: true,
    measure: (b) =>
      b.length < 10 ? undefined : `${b.readUInt16LE(6)} × ${b.readUInt16LE(8)} pixels`,
  },
  { label: 'WebP image', magic: 'WEBP', at: 8, wordy: true },
  { label: 'BMP image', magic: 'BM\0' },
  { label: 'TIFF image', magic: 'II*\0' },
  { label: 'TIFF image', magic: 'MM\0*' },
  { label: 'icon', magic: '\0\0\x01\0' },
  { label: 'PDF document', magic: '%PDF-' },
  { label: 'ZIP archive (also .docx, .xlsx, .jar, .vsix)', magic: 'PK\x03\x04' },
  { label: 'gzip archive', magic: '\x1f\x8b' },
  { label: 'xz archive', magic: '\xfd7zXZ' },
  { label: 'zstd archive', magic: '\x28\xb5\x2f\xfd' },
  { label: 'SQLite database', magic: 'SQLite format 3\0' },
  { label: 'ELF program', magic: '\x7fELF' },
  { label: 'WebAssembly module', magic: '\0asm' },
  { label: 'Windows program', magic: 'MZ\x90' },
];

function pixels(bytes: Buffer, width: number, height: number): string | undefined {
  if (bytes.length < height + 4) return undefined;
  return `${bytes.readUInt32BE(width)} × ${bytes.readUInt32BE(height)} pixels`;
}
