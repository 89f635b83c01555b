/** A file, or a folder, which has no text. */
export interface Entry {
  readonly id: number;
  readonly name: string;
  readonly text?: string;
  readonly children: Map<string, Entry>;
}

/**
 * Names as on a drive of Windows: without regard to case and to the form of accents, without dots and spaces at the
 * end, with short names (`ENV~1`) and the stream `::$DATA`.
 */
export class FoldingTree {
  readonly #entries = new Map<number, Entry>();
  readonly #root: Entry;

  constructor(files: Readonly<Record<string, string>>) {
    this.#root = this.#add('');
    for (const [file, text] of Object.entries(files)) this.#plant(file.split('/'), text);
  }

  byId(id: number): Entry | undefined {
    return this.#entries.get(id);
  }

  find({ children }: Entry, name: string): Entry | undefined {
    const wanted = toKey(name);
    return (
      children.get(wanted) ?? [...children.values()].find((each) => toShort(each.name) === wanted)
    );
  }

  #plant(names: readonly string[], text: string): void {
    let at = this.#root;
    for (const [index, name] of names.entries()) {
      const last = index === names.length - 1;
      const next = at.children.get(toKey(name)) ?? this.#add(name, last ? text : undefined);
      at.children.set(toKey(name), next);
      at = next;
    }
  }

  #add(name: string, text?: string): Entry {
    const id = this.#entries.size + 1;
    const entry = { id, name, children: new Map(), ...(text !== undefined && { text }) };
    this.#entries.set(id, entry);
    return entry;
  }
}

function toKey(name: string): string {
  return name
    .replace(/::\$DATA$/i, '')
    .replace(/[. ]+$/, '')
    .normalize('NFC')
    .toLowerCase();
}

/** For names that have one by default. */
function toShort(name: string): string {
  const [base = '', ending] = name.replace(/^\./, '').split('.');
  const short = `${base.slice(0, 6)}~1`.toLowerCase();
  return ending === undefined ? short : `${short}.${ending.slice(0, 3).toLowerCase()}`;
}
