import { type Diagnostic, DiagnosticSeverity, DiagnosticTag } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Severity } from '../declared/manifest/diagnostic.ts';
import type { RuleDiagnostic } from './rules/diagnostics.ts';

const SEVERITIES: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
};

/** A problem of a manifest or of a rule, for the editor. */
export function toDiagnostic(text: TextDocument, diagnostic: RuleDiagnostic): Diagnostic {
  const { offset, length, severity, message, hint, unneeded } = diagnostic;
  // An empty range is drawn as its first character.
  const end = Math.max(offset + length, offset + 1);
  return {
    range: { start: text.positionAt(offset), end: text.positionAt(end) },
    severity: SEVERITIES[severity],
    source: 'gatehouse',
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(unneeded && { tags: [DiagnosticTag.Unnecessary] }),
  };
}
