/** Where the entries of git's index are. */
export interface IndexParts {
  /** The number of each entry whose name is written in full, by where the entry starts. */
  readonly starts: ReadonlyMap<number, number>;
  /** Where the last entry ends. */
  readonly end: number;
  /** The bytes of a hash. */
  readonly hash: number;
}

/**
 * Whether git may read other entries than those that follow each other: an index may be split, and one of many files
 * says where entries and extensions begin, so that several threads read them.
 */
export function hidesEntries(index: Buffer, parts: IndexParts): boolean {
  try {
    return (
      endsElsewhere(index, parts) ||
      listExtensions(index, parts).some(({ name, from, to }) => {
        return name === 'link' || (name === 'IEOT' && startsElsewhere(index, from, to, parts));
      })
    );
  } catch (error) {
    // An extension ends within a number.
    if (error instanceof RangeError) return true;
    throw error;
  }
}

interface Extension {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** They lie between the entries and the hash of the whole. */
function listExtensions(index: Buffer, { end, hash }: IndexParts): readonly Extension[] {
  const found: Extension[] = [];
  let at = end;
  while (at + 8 <= index.length - hash) {
    const from = at + 8;
    const to = from + index.readUInt32BE(at + 4);
    found.push({ name: index.toString('latin1', at, at + 4), from, to });
    at = to;
  }
  return found;
}

/** The last extension may say where the first begins. Git looks for it from the end. */
function endsElsewhere(index: Buffer, { end, hash }: IndexParts): boolean {
  const at = index.length - hash - (8 + 4 + hash);
  if (at < end || index.toString('latin1', at, at + 4) !== 'EOIE') return false;
  return index.readUInt32BE(at + 8) !== end;
}

/** Whether a block of entries, of which each has a place and a number, isn't where it should be. */
function startsElsewhere(index: Buffer, from: number, to: number, { starts }: IndexParts): boolean {
  let entry = 0;
  for (let at = from + 4; at + 8 <= to; at += 8) {
    if (starts.get(index.readUInt32BE(at)) !== entry) return true;
    entry += index.readUInt32BE(at + 4);
  }
  return false;
}
