import { readdirSync } from 'node:fs';

/** Stands for bytes of a name that are not UTF-8, which no string can name. */
export const ODD = '\ufffd';

export interface OddEntry {
  /** The path, relative to the listed folder with `/`, as it is shown. */
  readonly name: string;
  readonly isSocket: boolean;
}

/** The names of `listOddEntries`. */
export function listOdd(folder: string): readonly string[] {
  return listOddEntries(folder).map(({ name }) => name);
}

/**
 * What lies in a folder under a name that is not UTF-8, or below a folder of such a name. Throws what the system says, and
 * where there is too much to look at.
 */
export function listOddEntries(folder: string): readonly OddEntry[] {
  const found: OddEntry[] = [];
  const folders: { readonly bytes: Buffer; readonly shown: string }[] = [];
  const add = (parent: Buffer, shown: string, isOdd: (name: Buffer) => boolean) => {
    for (const entry of readdirSync(parent, {
      withFileTypes: true,
      encoding: 'buffer',
    })) {
      if (!isOdd(entry.name)) continue;
      if (found.length === MOST)
        throw new Error(`${folder} has too many names that are not UTF-8.`);
      const name = `${shown}${entry.name.toString()}`;
      found.push({ name, isSocket: entry.isSocket() });
      if (!entry.isDirectory()) continue;
      const bytes = Buffer.concat([parent, Buffer.from('/'), entry.name]);
      folders.push({ bytes, shown: `${name}/` });
    }
  };
  add(Buffer.from(folder), '', (name) => name.toString().includes(ODD));
  for (const { bytes, shown } of folders) add(bytes, shown, () => true);
  return found;
}

const MOST = 10_000;
