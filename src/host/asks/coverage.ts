import path from 'node:path';
import type { Coverage } from '../../acp/gatehouse/permission.ts';
import { getCommandLine } from '../../base/tools/commandLine.ts';
import { getToolFacts, isHostTool } from '../../base/tools/toolFacts.ts';
import type { AskRequest } from '../../gate/ask.ts';
import type { OfferedPattern, PartOffer } from '../../permissions/rules/policy.ts';

/**
 * What an answer for the session covers, for its label: `chosen` are the rules that it stores. What has no
 * words of its own is told by the rules themselves, so that no label says less than what is stored.
 */
export function toCoverage(
  { tool, input }: Pick<AskRequest, 'tool' | 'input'>,
  parts: readonly PartOffer[],
  chosen: readonly OfferedPattern[],
): Coverage {
  const rules = chosen.map(({ rule }) => rule);
  const names = [...new Set(rules.map(({ permission, pattern }) => `${permission} ${pattern}`))];
  const listed: Coverage = { kind: 'rules', name: names.join(', ') };
  if (getCommandLine(tool, input) !== undefined) {
    if (rules.some(({ permission }) => permission !== tool)) return listed;
    return { kind: names.length > 1 ? 'commands' : 'command' };
  }
  const patterns = [...new Set(rules.map(({ pattern }) => pattern))];
  const areTouches = rules.every(({ permission }) => isTouch(permission));
  if (rules.every(({ permission }) => permission === 'fs.write')) return toEdits(patterns);
  if (areTouches && patterns.every(isPath)) {
    // The rule for a folder covers all that is below it.
    if (chosen.some(({ alsoMatches }) => alsoMatches.length > 0)) {
      return { kind: 'folder', name: patterns.map(toShown).join(', ') };
    }
    return toFiles(patterns);
  }
  if (areTouches && patterns.every(isHost)) return { kind: 'host', name: patterns.join(', ') };
  const targets = new Set(parts.map(({ target }) => target));
  // A rule about a query alone covers calls that want another number of results.
  const { kind, about } = getToolFacts(tool) ?? {};
  const isQuery = kind === 'fetch' && about === 'text';
  if (!isQuery && patterns.every((each) => targets.has(each))) return { kind: 'call' };
  if (patterns.every((each) => each === '*')) {
    const tools = new Set(rules.map(({ permission }) => permission));
    return { kind: 'tool', name: [...tools].join(', ') };
  }
  return listed;
}

/** Whether rules for it name paths or hosts. Rules for other tools name arguments, which may look like a path. */
function isTouch(permission: string): boolean {
  const about = getToolFacts(permission)?.about;
  return about === undefined
    ? /^(?:fs|net)\./.test(permission) || isHostTool(permission)
    : about !== 'text';
}

function toEdits(patterns: readonly string[]): Coverage {
  const folders = patterns.map((each) => FOLDER.exec(each)?.[1]);
  if (patterns.includes('{workspace}/**')) return { kind: 'edits' };
  if (folders.every((each) => each === undefined)) return toFiles(patterns);
  const names = patterns.map((each, at) => folders[at] ?? path.posix.basename(each));
  return { kind: 'edits', name: names.join(', ').replaceAll(/\\(.)/g, '$1') };
}

/** A pattern for a folder; in a workspace of several folders it has the whole path. */
const FOLDER = /^(?:\{workspace\}\/?)?(.*?)\/?\*\*$/;

function toFiles({ length }: readonly string[]): Coverage {
  return length === 1 ? { kind: 'file' } : { kind: 'files', name: String(length) };
}

function isPath(pattern: string): boolean {
  return /^(\/|[a-z]:\/|\{[a-z-]+\}(\/|$))/i.test(pattern);
}

/** A pattern for a folder as a path. */
function toShown(pattern: string): string {
  const shown = pattern.replace(/^\{workspace\}\/?/, '').replaceAll(/\\(.)/g, '$1');
  return shown === '' ? '{workspace}' : shown;
}

function isHost(pattern: string): boolean {
  return /^[\w.-]+(:\d+)?$/.test(pattern) && pattern.includes('.');
}
