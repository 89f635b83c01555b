import { homedir } from 'node:os';
import path from 'node:path';
import { readClaudeCode } from './products/claudeCode.ts';
import { readClineServers, readClineState } from './products/cline.ts';
import { readCopilotApprovals, readCopilotSettings } from './products/copilotCli.ts';
import type { EntryGroup, ImportDestination, Product, SourceFile } from './products/entry.ts';
import { readOpenCode } from './products/openCode.ts';
import { readVisualStudioCode } from './products/visualStudioCode.ts';

/** Where settings are looked for. Absolute paths. */
export interface Locations {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The trusted folder; undefined if none is open, or it isn't trusted. Nothing below it is read then. */
  readonly workspace: string | undefined;
  /** The user settings of the editor that asks, if there is one. */
  readonly userSettings?: string;
}

/** A file to read, and how. `others`: the parsed content of another file. */
export interface SourceReader {
  readonly source: SourceFile;
  /** Where a second file lies that this one is read with. */
  readonly beside?: string;
  read(settings: unknown, beside: unknown): readonly EntryGroup[];
}

/** The settings files of other products that may exist, the ones that a product reads last at the end. */
export function listSources(locations: Locations): readonly SourceReader[] {
  const { workspace } = locations;
  const user = createList('user');
  const own = createList('workspace');
  const claude = nameFolder(locations, 'CLAUDE_CONFIG_DIR', '.claude');
  user('Claude Code', [path.join(claude, 'settings.json')], readClaudeCode);
  for (const file of listEditorSettings(locations)) user('VS Code', [file], readVisualStudioCode);
  listCopilot(locations, user, own);
  user('OpenCode', listOpenCode(path.join(configFolder(locations), 'opencode')), readOpenCode);
  if (workspace !== undefined) {
    const inside = (...names: readonly string[]) => path.join(workspace, ...names);
    const settings = ['settings.json', 'settings.local.json'];
    own(
      'Claude Code',
      settings.map((name) => inside('.claude', name)),
      readClaudeCode,
    );
    own('VS Code', [inside('.vscode', 'settings.json')], readVisualStudioCode);
    own(
      'OpenCode',
      [...listOpenCode(workspace), ...listOpenCode(inside('.opencode'))],
      readOpenCode,
    );
  }
  return [...user.found, ...own.found, ...listCline(locations)];
}

interface SourceList {
  (product: Product, files: readonly string[], read: ReadSource): void;
  readonly found: readonly SourceReader[];
}

type ReadSource = (settings: unknown, source: SourceFile) => readonly EntryGroup[];

function createList(destination: ImportDestination): SourceList {
  const found: SourceReader[] = [];
  const add = (product: Product, files: readonly string[], read: ReadSource) => {
    for (const file of files) {
      const source = { product, path: file, destination };
      found.push({ source, read: (settings) => read(settings, source) });
    }
  };
  return Object.assign(add, { found });
}

/** The folder that a variable names, else one in the user's home. */
function nameFolder({ env, home }: Locations, variable: string, name: string): string {
  const set = env[variable];
  return set ? path.resolve(set) : path.join(home, name);
}

function configFolder({ env, home }: Locations): string {
  return env['XDG_CONFIG_HOME'] || path.join(home, '.config');
}

/** The user settings of VS Code: of the editor that asks, else of the usual locations. */
function listEditorSettings(locations: Locations): readonly string[] {
  const { userSettings } = locations;
  if (userSettings !== undefined) return [userSettings];
  return ['Code', 'Code - Insiders', 'VSCodium'].map((name) =>
    path.join(applicationFolder(locations), name, 'User', 'settings.json'),
  );
}

function applicationFolder(locations: Locations): string {
  const { env, home, platform } = locations;
  if (platform === 'win32') return env['APPDATA'] || path.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  return configFolder(locations);
}

/** Its approvals are those of one folder, so they are rules of the workspace. */
function listCopilot(locations: Locations, user: SourceList, own: SourceList): void {
  const folder = nameFolder(locations, 'COPILOT_HOME', '.copilot');
  const named = ['config.json', 'settings.json'].map((name) => path.join(folder, name));
  user('Copilot CLI', named, readCopilotSettings);
  own('Copilot CLI', [path.join(folder, 'permissions-config.json')], (settings, source) =>
    readCopilotApprovals(settings, source, locations.workspace),
  );
}

function listOpenCode(folder: string): readonly string[] {
  return ['opencode.json', 'opencode.jsonc'].map((name) => path.join(folder, name));
}

function listCline(locations: Locations): readonly SourceReader[] {
  const data = nameFolder(locations, 'CLINE_DATA_DIR', path.join('.cline', 'data'));
  const state = path.join(data, 'globalState.json');
  const base = { product: 'Cline', destination: 'user' } as const;
  const editor = listEditorSettings(locations).map((file) =>
    path.join(path.dirname(file), 'globalStorage', 'saoudrizwan.claude-dev', 'settings'),
  );
  const servers = [path.join(data, 'settings'), ...editor].map((folder): SourceReader => {
    const source = { ...base, path: path.join(folder, 'cline_mcp_settings.json') };
    return {
      source,
      beside: state,
      read: (settings, beside) => readClineServers(settings, source, beside),
    };
  });
  const own = { ...base, path: state };
  return [{ source: own, read: (settings) => readClineState(settings, own) }, ...servers];
}

/** The locations of this machine. */
export function findLocations(env: NodeJS.ProcessEnv, workspace: string | undefined): Locations {
  return { env, platform: process.platform, home: env['HOME'] || homedir(), workspace };
}
