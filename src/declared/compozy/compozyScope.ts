import type { Diagnostics } from '../manifest/diagnostic.ts';
import type { DeclaredSchema } from '../manifest/dialectRow.ts';
import type { SourceDocument } from '../manifest/parseDocument.ts';
import type { Surroundings } from '../manifest/parseSurroundings.ts';
import type { CompozyProject } from './parseProject.ts';

/** The state shared by the validators of one tool file. */
export interface CompozyScope {
  readonly document: SourceDocument;
  readonly diagnostics: Diagnostics;
  readonly surroundings: Surroundings;
  readonly project: CompozyProject;
  readonly folder: string;
  /** The workspace folder. Absolute. */
  readonly root: string;
  /** Collects the schemas. */
  readonly schemas: DeclaredSchema[];
  /** Found by autoload or by walking, not named: a file of another resource is skipped. */
  readonly autoloaded: boolean;
}
