import type { SourceDocument } from './parseDocument.ts';

export type Severity = 'error' | 'warning' | 'information';

/** Replaces `length` UTF-16 units of the document's text from `offset`. */
export interface TextEdit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** A change that removes the diagnostic. */
export interface Fix {
  readonly title: string;
  /** Absolute path of a neighbour that is edited instead of the document itself. */
  readonly file?: string;
  readonly edits: readonly TextEdit[];
}

/** A problem of a manifest at one position, shared by the check, the loader and the language server. */
export interface Diagnostic {
  /** RFC 6901 pointer to the invalid value, or to its parent if the value is absent. */
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
  /** The tool with this index is not offered because of it. */
  readonly blocks?: number;
}

export interface DiagnosticDetail {
  readonly hint?: string;
  readonly fix?: Fix | undefined;
  readonly blocks?: number;
  /** Mark the property's name instead of its value. */
  readonly atKey?: boolean;
}

export interface Diagnostics {
  readonly list: Diagnostic[];
  error(pointer: string, message: string, detail?: DiagnosticDetail): void;
  warning(pointer: string, message: string, detail?: DiagnosticDetail): void;
  information(pointer: string, message: string, detail?: DiagnosticDetail): void;
}

/** Collects diagnostics and resolves their pointers to positions in `document`. */
export function collectDiagnostics(document: SourceDocument): Diagnostics {
  const list: Diagnostic[] = [];
  const add =
    (severity: Severity) =>
    (pointer: string, message: string, detail: DiagnosticDetail = {}): void => {
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

export function hasError(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}
