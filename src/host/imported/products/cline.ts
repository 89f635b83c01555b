import { toRecord } from '../../../base/json.ts';
import { type Entry, type EntryGroup, leaveOut, REASONS, type SourceFile } from './entry.ts';
import { toPathEntry } from './pathEntry.ts';

/** The auto-approval of Cline (3.x and the CLI), which is about kinds of actions. */
export function readClineState(state: unknown, source: SourceFile): readonly EntryGroup[] {
  const settings = toRecord(toRecord(state)['autoApprovalSettings']);
  const on = settings['enabled'] === false ? {} : toRecord(settings['actions']);
  const entries = Object.entries(ACTIONS).flatMap(([name, convert]) =>
    on[name] === true ? [convert(name)] : [],
  );
  return [{ source, list: source.product, decides: 'strictest', entries }];
}

const ACTIONS: Readonly<Record<string, (written: string) => Entry>> = {
  readFiles: (written) =>
    toPathEntry({ written, action: 'allow', access: 'read', pattern: '{workspace}/**' }),
  readFilesExternally: (written) => leaveOut(written, 'allow', REASONS.insideWorkspace),
  editFiles: (written) => leaveOut(written, 'allow', REASONS.allEdits),
  editFilesExternally: (written) => leaveOut(written, 'allow', REASONS.allEdits),
  executeSafeCommands: (written) =>
    leaveOut(written, 'allow', 'The model decides which commands are safe; a rule names them.'),
  executeCommands: (written) =>
    leaveOut(written, 'allow', 'The model decides which commands are safe; a rule names them.'),
  executeAllCommands: (written) => leaveOut(written, 'allow', REASONS.allCommands),
  useBrowser: (written) => leaveOut(written, 'allow', 'Gatehouse has no such tool.'),
  useMcp: (written) =>
    leaveOut(written, 'allow', 'The tools of each server that it covers are imported by name.'),
};

/** The tools that are approved for each MCP server. They need `useMcp` of the state as well. */
export function readClineServers(
  settings: unknown,
  source: SourceFile,
  state: unknown,
): readonly EntryGroup[] {
  const approval = toRecord(toRecord(state)['autoApprovalSettings']);
  const servers = Object.entries(toRecord(toRecord(settings)['mcpServers']));
  const isOn = approval['enabled'] !== false && toRecord(approval['actions'])['useMcp'] === true;
  const entries = servers.flatMap(([server, value]) => {
    const { autoApprove, disabled } = toRecord(value);
    const tools: readonly unknown[] = Array.isArray(autoApprove) ? autoApprove : [];
    return disabled === true ? [] : tools.map((tool) => toTool(server, tool, isOn));
  });
  return [{ source, list: source.product, decides: 'strictest', entries }];
}

function toTool(server: string, tool: unknown, isOn: boolean): Entry {
  const written = `${server}: ${String(tool)}`;
  const drop = (reason: string) => leaveOut(written, 'allow', reason);
  if (!isOn) return drop('Cline asks, because its approval of MCP tools is off.');
  if (typeof tool !== 'string' || !/^[\w.-]+$/.test(tool) || !/^[\w.-]+$/.test(server)) {
    return drop("Its name can't be a part of a rule.");
  }
  const permission = `mcp:${server}:${tool}`;
  return { written, action: 'allow', targets: [{ permission, pattern: '*' }] };
}
