import type { SourceDocument } from './parseDocument.ts';

export type Severity = 'error' | 'warning' | 'information';

/** Replaces `length` UTF-16 units of the document's text from `offset`. */
export interface TextEdit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** A change that removes the finding. */
export interface Fix {
  readonly title: string;
  /** Absolute path of a neighbour that is edited instead of the document itself. */
  readonly file?: string;
  readonly edits: readonly TextEdit[];
}

/** One fault of a manifest. The check, the loader and the language server all speak of the same ones. */
export interface Finding {
  /** RFC 6901 pointer to the value that is at fault; of its holder when the value is absent. */
  readonly pointer: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly offset: number;
  readonly length: number;
  readonly severity: Severity;
  /** The exact text of the dialect's document, without the program's prefix. */
  readonly message: string;
  /** What to do about it, where the exact text does not say so. */
  readonly hint?: string;
  readonly fix?: Fix;
  /** The tool with this index is not offered because of the finding. */
  readonly blocks?: number;
}

export interface FindingDetail {
  readonly hint?: string;
  readonly fix?: Fix | undefined;
  readonly blocks?: number;
  /** Mark the property's name instead of its value. */
  readonly atKey?: boolean;
}

export interface Findings {
  readonly list: Finding[];
  error(pointer: string, message: string, detail?: FindingDetail): void;
  warning(pointer: string, message: string, detail?: FindingDetail): void;
  information(pointer: string, message: string, detail?: FindingDetail): void;
}

/** Collects findings and gives each the place of its pointer in `document`. */
export function collectFindings(document: SourceDocument): Findings {
  const list: Finding[] = [];
  const add =
    (severity: Severity) =>
    (pointer: string, message: string, detail: FindingDetail = {}): void => {
      const { atKey, fix, ...rest } = detail;
      const span = atKey ? document.keyAt(pointer) : document.at(pointer);
      list.push({
        pointer,
        ...document.position(span.offset),
        ...span,
        severity,
        message,
        ...rest,
        ...(fix && { fix }),
      });
    };
  return { list, error: add('error'), warning: add('warning'), information: add('information') };
}

export function hasError(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}
