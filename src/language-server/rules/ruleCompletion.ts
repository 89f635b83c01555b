import { getLocation, type Segment } from 'jsonc-parser';
import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  type Position,
  type Range,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { AskedRule, RuleWindow } from '../../base/tools/ruleWindow.ts';
import { HOST_TOOL_IDS, isHostTool } from '../../base/tools/toolFacts.ts';
import type { MatchKind } from '../../permissions/rules/compiledRule.ts';
import { getKind } from './checks/kinds.ts';
import { CAPABILITIES } from './checks/names.ts';
import { findEntry, type RuleDocument } from './ruleDocument.ts';

/** The values that fit at a position in a list of rules, most useful first. */
export function completeRule(
  document: RuleDocument,
  text: TextDocument,
  position: Position,
  window: RuleWindow,
): readonly CompletionItem[] {
  const offset = text.offsetAt(position);
  const { path, previousNode, isAtPropertyKey } = getLocation(document.text, offset);
  const inList = path.slice(path.indexOf('gatehouse.permissions') + 1);
  if (!path.includes('gatehouse.permissions') || inList.length === 0) return [];
  const isInside =
    previousNode !== undefined &&
    previousNode.offset <= offset &&
    offset <= previousNode.offset + previousNode.length;
  const start = isInside ? text.positionAt(previousNode.offset) : position;
  const end = isInside ? text.positionAt(previousNode.offset + previousNode.length) : position;
  const range = { start, end };
  const [, field, ...deeper] = inList;
  // The editor's own JSON support knows the names of fields.
  if (isAtPropertyKey || deeper.length > 0) return [];
  if (field === undefined) return isInside ? [] : window.asked.map((rule) => toEntry(rule, range));
  return listValues(field, findPermission(document, offset), window).map((value, at) =>
    toItem(value, at, range),
  );
}

interface Value {
  readonly value: string;
  readonly detail: string;
}

function listValues(field: Segment, permission: string, window: RuleWindow): readonly Value[] {
  switch (field) {
    case 'permission':
      return listPermissions(window);
    case 'pattern':
      return listPatterns(permission, window);
    case 'action':
      return ACTIONS;
    default:
      return [];
  }
}

const ACTIONS: readonly Value[] = [
  { value: 'ask', detail: 'Asks every time.' },
  { value: 'deny', detail: 'Is denied, and the agent is told so.' },
  { value: 'allow', detail: 'Runs without asking.' },
];

/** What a pattern is matched against. */
const ABOUT: Readonly<Record<MatchKind, string>> = {
  command: 'Patterns are commands.',
  path: 'Patterns are paths.',
  host: 'Patterns are hosts.',
  text: 'Patterns are texts.',
};

function listPermissions({ tools }: RuleWindow): readonly Value[] {
  const about = (permission: string) => {
    const kind = getKind(permission);
    return kind === undefined ? '' : ABOUT[kind];
  };
  return [
    ...HOST_TOOL_IDS.map((value) => ({ value, detail: `Tool. ${about(value)}`.trim() })),
    ...CAPABILITIES.map((value) => ({
      value,
      detail: `Every tool that needs this capability. ${about(value)}`.trim(),
    })),
    ...tools
      .filter((value) => !isHostTool(value))
      .map((value) => ({ value, detail: 'Tool of this workspace.' })),
    { value: 'mcp:*', detail: 'Every tool of every MCP server.' },
    { value: 'copy', detail: 'What may run in a copy of the workspace.' },
    { value: '*', detail: 'Everything.' },
  ];
}

function listPatterns(permission: string, { asked }: RuleWindow): readonly Value[] {
  const kind = getKind(permission);
  const fits = (rule: AskedRule) =>
    rule.permission === permission || (kind !== undefined && getKind(rule.permission) === kind);
  const own = asked
    .filter((rule) => permission === '' || fits(rule))
    .map(({ pattern }) => ({ value: pattern, detail: 'Asked in this window.' }));
  const general = kind === undefined ? [] : EXAMPLES[kind];
  const all = [...own, ...general, { value: '*', detail: 'Everything.' }];
  return [...new Map(all.toReversed().map((each) => [each.value, each])).values()].toReversed();
}

const EXAMPLES: Readonly<Record<MatchKind, readonly Value[]>> = {
  command: [
    { value: 'npm test', detail: 'This command, with any further words.' },
    { value: 'git log *', detail: 'This command, with any further words.' },
  ],
  path: [
    { value: 'src/**', detail: 'Everything below a folder of the workspace.' },
    { value: '**/.env', detail: 'This name in every folder.' },
    { value: '{workspace}/**', detail: 'Everything in the open folders.' },
    { value: '~/notes', detail: 'A folder in your home folder, with everything below it.' },
  ],
  host: [
    { value: 'example.com', detail: 'This host, ports 80 and 443.' },
    { value: '*.example.com', detail: 'Every subdomain.' },
    { value: 'localhost:8080', detail: 'This host and port.' },
  ],
  text: [],
};

/** The permission of the rule around the offset; empty if it has none yet. */
function findPermission({ entries }: RuleDocument, offset: number): string {
  const value = findEntry(entries, offset)?.fields.get('permission')?.value?.value;
  return typeof value === 'string' ? value : '';
}

function toItem({ value, detail }: Value, at: number, range: Range): CompletionItem {
  const newText = JSON.stringify(value);
  return {
    label: value,
    kind: CompletionItemKind.Value,
    detail,
    filterText: newText,
    sortText: String(at).padStart(4, '0'),
    textEdit: { range, newText },
  };
}

function toEntry({ permission, pattern }: AskedRule, range: Range): CompletionItem {
  const written = (value: string) => JSON.stringify(value).replace(/[$}\\]/g, '\\$&');
  return {
    label: `${permission} ${pattern}`,
    kind: CompletionItemKind.Snippet,
    detail: 'Asked in this window.',
    insertTextFormat: InsertTextFormat.Snippet,
    textEdit: {
      range,
      newText: `{\n\t"permission": ${written(permission)},\n\t"pattern": ${written(pattern)},\n\t"action": "\${1|allow,ask,deny|}"\n}`,
    },
  };
}
