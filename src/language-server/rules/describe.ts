import { toCodeSpan } from '../../base/codeSpan.ts';
import { getToolFacts } from '../../base/tools/toolFacts.ts';
import { parseCommandPattern } from '../../permissions/patterns/commandPattern.ts';
import { parseHostPattern } from '../../permissions/patterns/hostPattern.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import { getKind } from './checks/kinds.ts';

/** What the permission of a rule names, as one sentence of Markdown. */
export function describePermission(permission: string): string {
  const name = toCodeSpan(permission);
  if (/^\*+$/.test(permission)) return 'Applies to every tool.';
  if (permission === 'copy') return 'Applies to commands that run in a copy of the workspace.';
  if (permission.startsWith('mcp:')) return `Applies to the MCP tools ${name}.`;
  if (permission.includes('*')) return `Applies to the tools and capabilities that match ${name}.`;
  if (permission.includes('.')) return `Applies to every tool that needs ${name}.`;
  const isHost = getToolFacts(permission) !== undefined;
  return isHost ? `Applies to the tool ${name}.` : `Applies to the tool ${name} of this workspace.`;
}

/** What the pattern of a valid rule matches: its program, path or host. */
export function describePattern(rule: Rule): string {
  if (/^\*+$/.test(rule.pattern)) return describeStar(rule);
  switch (getKind(rule.permission)) {
    case 'command':
      return describeCommand(rule.pattern);
    case 'path':
      return describePath(rule);
    case 'host':
      return describeHost(rule);
    default:
      return `Matches ${toCodeSpan(rule.pattern)}; \`*\` stands for any text.`;
  }
}

function describeStar({ permission, action }: Rule): string {
  const kind = getKind(permission);
  if (kind === 'host' && action === 'allow') return 'Matches every public host, ports 80 and 443.';
  if (kind === 'path' && action === 'allow')
    return 'Matches every path that the session can reach.';
  return 'Matches everything.';
}

function describeCommand(pattern: string): string {
  const parsed = parseCommandPattern(pattern);
  if (parsed === undefined) return '';
  const [head = ''] = parsed.parts;
  const [program = '', ...words] = head.split(' ');
  const isWhole = parsed.parts.length > 1 && words.length === 0;
  const name = isWhole ? `${program}*` : program;
  const written = pattern.trim().split(/\s+/).slice(1).join(' ');
  const rest = parsed.openTail ? written.replace(/(?:^| )\*+$/, '') : written;
  const withWords = rest === '' ? '' : `, words ${toCodeSpan(rest)}`;
  const tail = parsed.openTail ? ', with or without further words' : '';
  return `Program ${toCodeSpan(name)}${withWords}${tail}. Each command of a line is evaluated by itself.`;
}

function describePath({ pattern, action }: Rule): string {
  const path = toCodeSpan(pattern);
  const below = /(?<!\\)[*?[{]/.test(pattern.replace(/\{(?:workspace|ad-hoc|user-data)\}/g, ''))
    ? ''
    : ', with everything below it';
  if (pattern.startsWith('~')) return `Path ${path} in your home folder${below}.`;
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(pattern)) return `Path ${path}${below}.`;
  if (pattern.startsWith('**') && action !== 'allow')
    return `Path ${path} in every folder${below}.`;
  return `Path ${path}, relative to each workspace folder${below}.`;
}

function describeHost({ pattern, action }: Rule): string {
  const parsed = parseHostPattern(pattern);
  if (parsed === undefined) return '';
  const { host, port } = parsed;
  const name = host.startsWith('*.')
    ? `Every subdomain of ${toCodeSpan(host.slice(2))}`
    : `Host ${toCodeSpan(host)}`;
  if (port !== undefined) return `${name}, port ${port}.`;
  return action === 'allow' ? `${name}, ports 80 and 443.` : `${name}, every port.`;
}
