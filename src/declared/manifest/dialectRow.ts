import type { Diagnostics } from './diagnostic.ts';
import type { EntryBase } from './entry.ts';
import type { FieldTable } from './field.ts';
import type { SourceDocument } from './parseDocument.ts';
import type { JsonObject } from './parsePointer.ts';
import type { ResolveReference, SchemaDialect } from './parseSchema.ts';
import type { Surroundings } from './parseSurroundings.ts';

/** A document to parse, and what its dialect's parser may read besides. */
export interface DialectSource {
  /** Absolute. */
  readonly file: string;
  readonly document: SourceDocument;
  readonly diagnostics: Diagnostics;
  readonly surroundings: Surroundings;
  /** Found by autoload or by walking a folder, not named. */
  readonly autoloaded: boolean;
  /** The workspace folder, absolute. Ids are made of paths in it. */
  readonly root: string;
}

export interface ParsedManifest<Entry extends EntryBase> {
  /** The entries without an error. */
  readonly entries: readonly Entry[];
  /** Absolute paths that an acceptance covers besides the manifest: its neighbours, and what its tools run. */
  readonly covers: readonly string[];
  /** The programs that its tools start. */
  readonly commands: readonly RunCommand[];
  /** Absolute paths of the modules that its tools import. */
  readonly modules: readonly string[];
  /** The schemas of its tools, also of entries that are refused. */
  readonly schemas: readonly DeclaredSchema[];
  /** The folder in which its ids must be unique; absent: they need not be. */
  readonly uniqueIn?: string;
  /** The name under which the user may narrow the capabilities of the manifest's bundle (spec D-38). */
  readonly bundleName?: string;
  /** What the ids of a bundle's tools begin with, before it is cleaned. */
  readonly bundleSource?: string;
}

/** A schema of a tool. */
export interface DeclaredSchema {
  /** Of the entry. */
  readonly index: number;
  /** RFC 6901. */
  readonly pointer: string;
  /** As messages name it: `tool[0] "x": schema`. */
  readonly name: string;
  readonly schema: unknown;
  /** The dialect if the schema names none. */
  readonly otherwise: SchemaDialect;
  readonly resolve: ResolveReference;
}

/** A program that a tool starts. */
export interface RunCommand {
  /** Absolute. */
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute folders in which a relative argument may name a file. */
  readonly folders: readonly string[];
  /** The folders of PATH. */
  readonly path: readonly string[];
}

/** An id as a manifest writes it. */
export interface WrittenId {
  readonly id: string;
  readonly pointer: string;
}

/** A file that may be a manifest. */
export interface FoundManifest {
  /** Absolute. */
  readonly file: string;
  readonly autoloaded: boolean;
  /** The workspace folder, absolute. */
  readonly root: string;
  /** Why the file is reported without being read. */
  readonly refused?: { readonly dialect: EntryBase['dialect']; readonly message: string };
}

/** A file that may be a manifest, wherever it was looked for. */
export type FoundFile = Omit<FoundManifest, 'root'>;

/** Whether a file, given by its absolute path, is a manifest; undefined when it is not. */
export type FindManifest = (file: string, isLink: boolean) => FoundFile | undefined;

/** A value in a document that is being edited. */
export interface EditedValue {
  readonly file: string;
  readonly text: string;
  /** RFC 6901. */
  readonly pointer: string;
}

/** What the check, the loader and the language server need of a dialect. */
export interface DialectRow<Entry extends EntryBase = EntryBase> {
  readonly id: Entry['dialect'];
  /** How the dialect's own loader starts the text of a syntax error. */
  readonly syntaxError: string;
  /** The text of a manifest without tools, used in place of a file that cannot be read. */
  readonly emptyText: string;
  /** The fields of its documents, for completion and hovers. */
  readonly fields: FieldTable;
  /** A function for one walk over folders; it may cache what it read. */
  createFinder(surroundings: Surroundings): FindManifest;
  /** Whether the document is of this dialect, if no earlier row matched (spec decision 40). */
  detect(source: Pick<DialectSource, 'file' | 'document' | 'surroundings'>): boolean;
  parse(source: DialectSource): ParsedManifest<Entry>;
  /** The ids as written, of every entry that has one. */
  getIds(root: JsonObject): readonly WrittenId[];
  /** Ids that must be unique among the manifests of one project (spec B-3). */
  readonly unique?: {
    /** Ids with the same key are equal. */
    toKey(id: string): string;
    describe(key: string, firstFile: string): string;
  };
  /** Completions for a value, besides those that `fields` lists. */
  suggestValues(value: EditedValue, env: Readonly<NodeJS.ProcessEnv>): readonly string[];
  /** Absolute path of the file that a string value refers to; it need not exist. */
  findTarget(value: EditedValue, written: string, surroundings: Surroundings): string | undefined;
}
