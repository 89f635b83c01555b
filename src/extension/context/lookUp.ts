import type { ContentBlock } from '@agentclientprotocol/sdk';
import { type Attached, type FoundContext, MOST_FOUND } from '../../webview/messages/attached.ts';
import { takeBest } from './rank.ts';

/** Something that can be attached. Its content is read when the user takes it. */
export interface ContextCandidate extends Omit<FoundContext, 'id'> {
  /** The label of the chip, if it is another one, such as `app.ts:10–42`. */
  readonly chip?: string;
  /** What the query is compared with, if not the label. */
  readonly path?: string;
  /** Undefined if it is gone meanwhile. */
  read(): Promise<ContentBlock | undefined>;
  /** Only of a prompt: what it puts into the message. Undefined if the user gave up. */
  fill?(): Promise<FilledPrompt | undefined>;
}

/** A prompt of an MCP server with its arguments. */
export interface FilledPrompt {
  readonly text: string;
  readonly images: readonly ContentBlock[];
}

/** A chip that has no id yet, and its content. */
export interface ChipContent {
  readonly chip: Omit<Attached, 'id'>;
  readonly content: ContentBlock;
}

export interface ContextSources {
  /** Selection, problems, terminal output and the like, as far as there are any. */
  fixed(): readonly ContextCandidate[];
  openEditors(): readonly ContextCandidate[];
  files(): Promise<readonly ContextCandidate[]>;
  symbols(query: string): Promise<readonly ContextCandidate[]>;
  /** Resources of MCP servers. */
  resources(): Promise<readonly ContextCandidate[]>;
  /** Prompts of MCP servers. */
  prompts(): Promise<readonly ContextCandidate[]>;
}

/** Of each kind, so that many files never hide the symbols. */
const MOST_SYMBOLS = 5;
const MOST_RESOURCES = 5;

/** The `@` list of one window. */
export class LookUp {
  readonly #sources: ContextSources;
  /** What the last lists offered. */
  readonly #offered = new Map<string, ContextCandidate>();
  #counter = 0;

  constructor(sources: ContextSources) {
    this.#sources = sources;
  }

  /**
   * What fits the query, best first; without one, what the user is likely to mean. `early` gets the
   * first of it while symbols, which may take long, are looked for.
   */
  async find(
    query: string,
    early?: (entries: readonly FoundContext[]) => void,
  ): Promise<readonly FoundContext[]> {
    const { fixed, openEditors, files, symbols, resources } = this.#sources;
    const naming = query === '' ? Promise.resolve([]) : symbols(query);
    // Awaited below; a failure of the files must not leave it unheard.
    naming.catch(() => undefined);
    const [listed, offered] = await Promise.all([files(), resources().catch(() => [])]);
    const open = openEditors();
    const known = new Set(open.map(getPath));
    const all = takeBest(
      [
        ...fixed(),
        ...takeBest(offered, query, getPath, MOST_RESOURCES),
        ...open,
        ...listed.filter((each) => !known.has(getPath(each))),
      ],
      query,
      getPath,
      MOST_FOUND,
    );
    const sure = query === '' ? all.length : MOST_FOUND - MOST_SYMBOLS;
    // Offered once: what is listed early keeps its place and its id.
    const first = all.slice(0, sure).map((candidate) => this.#offer(candidate));
    if (query !== '' && first.length > 0) early?.(first);
    const named = (await naming).slice(0, MOST_SYMBOLS);
    const rest = [...all.slice(sure, MOST_FOUND - named.length), ...named];
    return [...first, ...rest.map((candidate) => this.#offer(candidate))];
  }

  /** The prompts whose names fit. */
  async findPrompts(query: string): Promise<readonly FoundContext[]> {
    const all = await this.#sources.prompts();
    const fitting = all.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));
    return fitting.slice(0, MOST_FOUND).map((candidate) => this.#offer(candidate));
  }

  /** Fills in a prompt that was offered. Undefined if there is none, or the user gave up. */
  async fill(id: string): Promise<FilledPrompt | undefined> {
    return this.#offered.get(id)?.fill?.();
  }

  /** The content of an entry that was offered. Undefined if there is none. */
  async read(id: string): Promise<ChipContent | undefined> {
    const candidate = this.#offered.get(id);
    return candidate && readCandidate(candidate);
  }

  #offer(candidate: ContextCandidate): FoundContext {
    this.#counter += 1;
    const id = `${this.#counter}`;
    this.#offered.set(id, candidate);
    // A page takes from its newest list; older ones are let go.
    for (const old of this.#offered.keys()) {
      if (this.#offered.size <= MOST_FOUND * 10) break;
      this.#offered.delete(old);
    }
    const { kind, label, description } = candidate;
    return { id, kind, label, ...(description !== undefined && { description }) };
  }
}

/** The chip and the content of what the user takes. */
export async function readCandidate(candidate: ContextCandidate): Promise<ChipContent | undefined> {
  const content = await candidate.read();
  const { kind, label, chip = label } = candidate;
  return content && { chip: { kind, label: chip }, content };
}

function getPath({ path, label }: ContextCandidate): string {
  return path ?? label;
}
