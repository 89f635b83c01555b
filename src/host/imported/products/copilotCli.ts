import path from 'node:path';
import { isRecord, toRecord } from '../../../base/json.ts';
import type { Action } from '../../../permissions/rules/rule.ts';
import { toCommandEntry } from './commandEntry.ts';
import { type Entry, type EntryGroup, leaveOut, REASONS, type SourceFile } from './entry.ts';
import { toHostEntry } from './hostEntry.ts';
import { toPathEntry } from './pathEntry.ts';

/** The approvals that Copilot CLI (1.0) keeps for each folder: those of the open one. */
export function readCopilotApprovals(
  settings: unknown,
  source: SourceFile,
  workspace: string | undefined,
): readonly EntryGroup[] {
  const locations = Object.entries(toRecord(toRecord(settings)['locations']));
  const own = locations.filter(([folder]) => isSame(folder, workspace));
  const approvals = own.flatMap(([, location]) => toRecord(location)['tool_approvals'] ?? []);
  const entries = approvals.flatMap(toApproved);
  return [{ source, list: source.product, decides: 'strictest', entries }];
}

/** The addresses in the settings of Copilot CLI, under their names of any version. */
export function readCopilotSettings(settings: unknown, source: SourceFile): readonly EntryGroup[] {
  const values = toRecord(settings);
  const read = (action: Action, ...keys: readonly string[]) =>
    keys
      .flatMap((key) => values[key] ?? [])
      .filter((each) => typeof each === 'string')
      .map((url) => toHostEntry({ written: url, action, url, scheme: 'https' }));
  const entries = [
    ...read('deny', 'deniedUrls', 'denied_urls'),
    ...read('allow', 'allowedUrls', 'allowed_urls'),
  ];
  return [{ source, list: source.product, decides: 'strictest', entries }];
}

function isSame(folder: string, workspace: string | undefined): boolean {
  return workspace !== undefined && path.resolve(folder) === path.resolve(workspace);
}

function toApproved(approval: unknown): readonly Entry[] {
  const { kind, command_identifiers: commands, serverName, toolName } = toRecord(approval);
  const written = JSON.stringify(approval) ?? '';
  if (kind === 'commands' && Array.isArray(commands)) return commands.map(toCommand);
  if (kind === 'read') {
    return [toPathEntry({ written: 'read', action: 'allow', access: 'read', pattern: '**' })];
  }
  if (kind === 'write') return [leaveOut('write', 'allow', REASONS.allEdits)];
  if (kind === 'mcp' && typeof serverName === 'string' && isName(serverName)) {
    const tool = typeof toolName === 'string' ? toolName : '*';
    const permission = `mcp:${serverName}:${tool}`;
    return [{ written: permission, action: 'allow', targets: [{ permission, pattern: '*' }] }];
  }
  const name = isRecord(approval) && typeof kind === 'string' ? kind : written;
  return [leaveOut(name, 'allow', 'Gatehouse has no such tool.')];
}

function isName(text: string): boolean {
  return /^[\w.-]+$/.test(text);
}

/** Programs of which an identifier names the sub-command too. */
const WITH_SUBCOMMAND = new Set(['git', 'gh']);

/** An identifier is a program, or a program and its sub-command; any words may follow. */
function toCommand(identifier: unknown): Entry {
  const written = `shell(${String(identifier)})`;
  if (typeof identifier !== 'string') return leaveOut(written, 'allow', "It isn't a string.");
  const text = identifier.replace(/:\*$/, '');
  // Without a sub-command, the program alone is meant.
  const open = identifier !== text || !WITH_SUBCOMMAND.has(text.trim());
  return toCommandEntry({ written, action: 'allow', text, open, literal: true });
}
