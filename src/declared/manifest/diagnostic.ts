import { toErrorText } from '../../base/text/boundedText.ts';
import type { SourceDocument } from './parseDocument.ts';
import type { DocumentError } from './tree.ts';

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
  /** Those that are listed so far. */
  readonly list: readonly Diagnostic[];
  error(pointer: string, message: string, detail?: DiagnosticDetail): void;
  warning(pointer: string, message: string, detail?: DiagnosticDetail): void;
  information(pointer: string, message: string, detail?: DiagnosticDetail): void;
  /** A syntax error. */
  syntaxError(error: DocumentError): void;
  /** The list, and how many diagnostics more there are. */
  finish(): readonly Diagnostic[];
}

/** The most diagnostics of one severity that are listed. */
const LISTED = 500;

/**
 * Collects diagnostics and resolves their pointers to positions in `document`. The first ones of each severity are
 * listed, and the first one that blocks a tool always is.
 */
export function collectDiagnostics(document: SourceDocument): Diagnostics {
  const list: Diagnostic[] = [];
  const limit = createLimit();
  const add =
    (severity: Severity) =>
    (pointer: string, message: string, detail: DiagnosticDetail = {}): void => {
      if (!limit.take(severity, detail.blocks)) return;
      const { atKey, fix, ...rest } = detail;
      const span = atKey ? document.keyAt(pointer) : document.at(pointer);
      list.push({
        pointer,
        ...document.position(span.offset),
        ...span,
        severity,
        message: toErrorText(message),
        ...rest,
        ...(fix && { fix }),
      });
    };
  return {
    list,
    error: add('error'),
    warning: add('warning'),
    information: add('information'),
    syntaxError({ message, ...span }) {
      if (!limit.take('error', undefined)) return;
      const at = { pointer: '', ...document.position(span.offset), ...span };
      list.push({ ...at, severity: 'error', message: toErrorText(message) });
    },
    finish() {
      const omitted = limit.describe();
      if (omitted !== undefined) list.push({ ...toEnd(document), ...omitted });
      return list;
    },
  };
}

function createLimit() {
  const counts = { error: 0, warning: 0, information: 0 };
  const blocked = new Set<number>();
  return {
    /** Whether one more is listed. */
    take(severity: Severity, blocks: number | undefined): boolean {
      if (blocks !== undefined && !blocked.has(blocks)) {
        blocked.add(blocks);
        return true;
      }
      return ++counts[severity] <= LISTED;
    },
    describe(): Pick<Diagnostic, 'severity' | 'message'> | undefined {
      const left = (['error', 'warning', 'information'] as const)
        .map((severity) => ({ severity, count: counts[severity] - LISTED }))
        .filter(({ count }) => count > 0);
      const [first, ...others] = left;
      if (first === undefined) return undefined;
      const words = left.map(({ severity, count }) => `${count} more ${toNoun(severity, count)}`);
      const are = first.count === 1 && others.length === 0 ? 'is' : 'are';
      return { severity: first.severity, message: `${words.join(' and ')} ${are} not listed` };
    },
  };
}

function toNoun(severity: Severity, count: number): string {
  return `${severity === 'information' ? 'note' : severity}${count === 1 ? '' : 's'}`;
}

/** Behind everything else that is listed. */
function toEnd({ text, position }: SourceDocument) {
  return { pointer: '', ...position(text.length), offset: text.length, length: 0 };
}

export function hasError(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}
