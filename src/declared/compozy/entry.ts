import type { EntryBase } from '../manifest/entry.ts';
import type { CompozyProject } from './parseProject.ts';
import type { GoTemplate } from './parseTemplate.ts';

/** One Compozy tool: a whole YAML file. */
export interface CompozyEntry extends EntryBase {
  readonly dialect: 'compozy';
  readonly config: Readonly<Record<string, unknown>>;
  readonly env: readonly { readonly name: string; readonly value: GoTemplate }[];
  readonly input: object | undefined;
  readonly output: object | undefined;
  /** Milliseconds; undefined = the project's. */
  readonly timeoutMs: number | undefined;
  readonly with: Readonly<Record<string, unknown>>;
  readonly project: CompozyProject;
}
