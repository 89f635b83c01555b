import { toVisibleLine } from '../text/visibleText.ts';

/** A settings file of another product. */
export interface ReportedSource {
  readonly product: string;
  /** Absolute. */
  readonly path: string;
}

/** A rule that would be saved. */
export interface ReportedRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: 'allow' | 'ask' | 'deny';
  /** Where: settings of a workspace must not apply to another one. */
  readonly destination: 'user' | 'workspace';
}

/** What would become of an entry of such a file. */
export interface ReportedEntry {
  readonly source: ReportedSource;
  /** As it is written there. */
  readonly written: string;
  readonly action: string;
  /** Empty if the entry isn't imported. */
  readonly rules: readonly ReportedRule[];
  /** Why the rules allow less than the entry, or there are none. A sentence. */
  readonly reason?: string;
  /** All of its rules are in the settings already. */
  readonly known?: boolean;
}

/** What an import would do. */
export interface ImportReport {
  /** The files that were looked for. */
  readonly searched: readonly ReportedSource[];
  /** Those that were found. `problem`: why nothing of one is imported, a sentence. */
  readonly files: readonly {
    readonly source: ReportedSource;
    readonly entries: number;
    readonly problem?: string;
  }[];
  readonly entries: readonly ReportedEntry[];
  /** The rules to save, each once. */
  readonly rules: readonly ReportedRule[];
}

/** The lines that show what an import would save, what is tightened or left out, and why. */
export function reportLines({ searched, files, entries, rules }: ImportReport): readonly string[] {
  if (files.length === 0) return nothingFound(searched);
  const used = entries.filter((each) => each.rules.length > 0);
  const tightened = used.filter(({ reason }) => reason !== undefined);
  const known = entries.filter((each) => each.known === true);
  const left = entries.filter((each) => each.rules.length === 0 && each.known !== true);
  const lines = [
    ...section('Files', files.map(toFile)),
    ...section('Rules for the user settings', rulesFor(rules, 'user')),
    ...section('Rules for the settings of this workspace', rulesFor(rules, 'workspace')),
    ...section('Tightened: the rules above allow less', tightened.map(toEntry)),
    ...section('Not imported', left.map(toEntry)),
    ...section('Already in your settings', known.map(toEntry)),
  ];
  if (rules.length === 0) lines.push('There is nothing to import.', '');
  return lines.slice(0, -1).map(toVisibleLine);
}

function nothingFound(searched: readonly ReportedSource[]): readonly string[] {
  const lines = searched.map(({ product, path }) => `  ${product}  ${path}`);
  return [
    'No settings of Claude Code, VS Code, Copilot CLI, OpenCode or Cline were found.',
    ...(lines.length === 0 ? [] : ['', 'These files were looked for:', ...lines]),
  ].map(toVisibleLine);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title} (${lines.length})`, ...lines.map(indent), ''];
}

function indent(line: string): string {
  return `  ${line}`;
}

function toFile({ source, entries, problem }: ImportReport['files'][number]): string {
  const count = `${entries} rule${entries === 1 ? '' : 's'}`;
  return `${source.product}  ${source.path}: ${problem ?? count}`;
}

function rulesFor(rules: readonly ReportedRule[], destination: string): readonly string[] {
  return rules
    .filter((rule) => rule.destination === destination)
    .map(({ action, permission, pattern }) => `${action.padEnd(5)}  ${permission}  ${pattern}`);
}

function toEntry({ source, written, action, reason }: ReportedEntry): string {
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${source.product}  ${action} ${written}${why}`;
}
