import { existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { getMessage } from '../../base/faults.ts';

/** Where Gatehouse keeps its data. Absolute paths. */
export interface DataFolder {
  readonly root: string;
  /** `{user-data}`. */
  readonly user: string;
  /** Outside every capability set. */
  readonly state: string;
  readonly database: string;
  /** The root of a session that has no folder open. */
  readonly scratch: string;
  readonly accepted: string;
  /** The user's own settings file outside VS Code, and the folders of agents and overrides beside it. */
  readonly settings: readonly string[];
  /** The session's sidecars, readable only by this session (spec C-47). */
  sidecars(sessionId: string): string;
}

/** `$GATEHOUSE_DATA`, else the platform's folder for user data. Absolute. */
export function dataFolder(env: NodeJS.ProcessEnv, platform = process.platform): string {
  return path.resolve(env['GATEHOUSE_DATA'] || platformFolder(env, platform));
}

/** The list of what the user accepted, in the data folder. */
export function acceptedFile(env: NodeJS.ProcessEnv, platform = process.platform): string {
  return path.join(dataFolder(env, platform), 'state', 'accepted.json');
}

/** The history in the data folder, which may not exist. */
export function historyFile(env: NodeJS.ProcessEnv, platform = process.platform): string {
  return path.join(dataFolder(env, platform), 'state', 'gatehouse.db');
}

/** Opens the data folder and creates what is missing. Throws when it cannot. */
export function openDataFolder(env: NodeJS.ProcessEnv, platform = process.platform): DataFolder {
  const root = dataFolder(env, platform);
  const user = path.join(root, 'user');
  const state = path.join(root, 'state');
  const scratch = path.join(user, 'scratch');
  const settings = userSettingsFile(env, platform);
  const beside = path.dirname(settings);
  try {
    makeFolder(scratch, 0o777);
    makeFolder(state, 0o700);
  } catch (fault) {
    const why = getMessage(fault);
    throw new Error(`The data folder ${root} cannot be created or used: ${why}`);
  }
  return {
    root,
    user,
    state,
    database: historyFile(env, platform),
    scratch,
    accepted: acceptedFile(env, platform),
    settings: [settings, ...['agents', 'caps/overrides'].map((name) => path.join(beside, name))],
    sidecars: (sessionId) => path.join(state, 'sessions', sessionId, 'out'),
  };
}

/** Creates folders one by one: Node's recursive mkdir never returns below `/proc`. */
function makeFolder(folder: string, mode: number): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder), 0o777);
  try {
    mkdirSync(folder, { mode });
  } catch (fault) {
    // Another process may have created it concurrently.
    if (!existsSync(folder) || !statSync(folder).isDirectory()) throw fault;
  }
}

function platformFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32' && env['LOCALAPPDATA']) {
    return path.join(env['LOCALAPPDATA'], 'gatehouse');
  }
  if (platform === 'darwin') {
    return path.join(homedir(), 'Library', 'Application Support', 'gatehouse');
  }
  return path.join(env['XDG_DATA_HOME'] || path.join(homedir(), '.local', 'share'), 'gatehouse');
}

/** The user's own settings file outside VS Code. */
export function userSettingsFile(env: NodeJS.ProcessEnv, platform = process.platform): string {
  if (env['GATEHOUSE_CONFIG']) return path.resolve(env['GATEHOUSE_CONFIG']);
  if (platform === 'win32' && env['APPDATA']) {
    return path.join(env['APPDATA'], 'gatehouse', 'settings.json');
  }
  const base = env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config');
  return path.join(base, 'gatehouse', 'settings.json');
}
