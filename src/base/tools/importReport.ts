import { toVisibleLine } from '../../base/text/visibleText.ts';
import type { RuleImport, SourceReport } from './importRules.ts';
import type { ImportedRule, Settled } from './settle.ts';

/** The lines that show what an import would save, what is tightened or left out, and why. */
export function reportLines({ files, entries, rules }: RuleImport): readonly string[] {
  if (files.length === 0) {
    return ['No settings of Claude Code, VS Code, Copilot CLI, OpenCode or Cline were found.'];
  }
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

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title} (${lines.length})`, ...lines.map(indent), ''];
}

function indent(line: string): string {
  return `  ${line}`;
}

function toFile({ source, entries, problem }: SourceReport): string {
  const count = `${entries} rule${entries === 1 ? '' : 's'}`;
  return `${source.product}  ${source.path}: ${problem ?? count}`;
}

function rulesFor(rules: readonly ImportedRule[], destination: string): readonly string[] {
  return rules
    .filter((rule) => rule.destination === destination)
    .map(({ action, permission, pattern }) => `${action.padEnd(5)}  ${permission}  ${pattern}`);
}

function toEntry({ source, written, action, reason }: Settled): string {
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${source.product}  ${action} ${written}${why}`;
}
