import { readRegularText } from '../../base/disk/readRegular.ts';

/** A tool that an author asked for; everything else is the dialect's own default. */
export interface ToolSketch {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly input: object;
}

/** What `gatehouse scaffold` was asked to create. */
export interface ScaffoldRequest {
  readonly tool: ToolSketch;
  /** Absolute. */
  readonly root: string;
  /** Overwrite what exists. */
  readonly force: boolean;
  readonly options: ScaffoldOptions;
  /** Asks the user one question; undefined where nobody answers. Resolves to '' at the end of the input. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/** Options that only some dialects use, as given on the command line. */
export interface ScaffoldOptions {
  /** The id of the tool, where the sketch's name is the agent that it belongs to. */
  readonly tool?: string | undefined;
  readonly command?: string | undefined;
  readonly url?: string | undefined;
  readonly method: string;
  readonly secret: readonly string[];
  readonly 'cap-fs': readonly string[];
  readonly 'cap-net': readonly string[];
  readonly 'cap-kb-read': readonly string[];
  readonly 'cap-kb-write': readonly string[];
}

/** Texts by path, relative to the folder. */
export type NewFiles = Readonly<Record<string, string>>;

export interface Scaffolded {
  /** Absolute. */
  readonly folder: string;
  readonly files: NewFiles;
}

/** The files of a new tool, or why they cannot be created. Writes nothing. */
export type Scaffold = (request: ScaffoldRequest) => Promise<Scaffolded | string>;

/** The file's text; undefined if there is none. Throws if it exists and can't be read. */
export function readIfPresent(file: string): string | undefined {
  const read = readRegularText(file);
  if (read.state === 'unreadable') throw new Error(`${file} cannot be read: ${read.why}`);
  return read.state === 'read' ? read.text : undefined;
}
