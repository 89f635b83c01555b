import type * as acp from '@agentclientprotocol/sdk';
import { HOST_REQUESTS, type HostRequests, type ParamsOf } from '../../acp/gatehouse/methods.ts';
import { orInvalidParams } from '../../acp/invalidParams.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { OpenHost } from '../session/openHost.ts';
import type { ExtensionMethods } from './extensionMethods.ts';
import type { CommandPublisher } from './publishCommands.ts';

export interface LoadedHost extends OpenHost {
  readonly extensions: ExtensionMethods;
  readonly commands: CommandPublisher;
  /** What is done about stored sessions in the background. */
  readonly stored: Disposable;
}

type Open = () => Promise<LoadedHost>;

/** Other requests, such as a cancel, must not wait for the history. */
export interface Ways {
  readonly open: Open;
  /** Waits while the history is repaired. */
  readonly toRead: Open;
  /** Waits while another program has locked the history, too. */
  readonly toWrite: Open;
}

/** Registers our extension methods. The SDK answers unknown methods with -32601. */
export function registerExtensions(app: acp.AgentApp, ways: Ways): void {
  for (const name of NAMES) registerExtension(app, ways, name);
}

function registerExtension<Name extends keyof HostRequests>(
  app: acp.AgentApp,
  ways: Ways,
  name: Name,
): void {
  const { method, params: parser } = HOST_REQUESTS[name];
  // The table pairs each name with the parser of its params; TypeScript cannot infer that.
  const parse = orInvalidParams(parser) as (params: unknown) => ParamsOf<HostRequests, Name>;
  app.onRequest(method, parse, async ({ params, signal }) => {
    const host = await ways[USES[name] ?? 'open']();
    return host.extensions[name](host, params, signal);
  });
}

/** Those that use the history; a prompt and `continue` wait for it in their turn. */
const USES: Partial<Record<keyof HostRequests, 'toRead' | 'toWrite'>> = {
  callOutput: 'toRead',
  tools: 'toRead',
  serverAction: 'toRead',
  serverContent: 'toRead',
  readContent: 'toRead',
  completeContent: 'toRead',
  rulesDocument: 'toRead',
  promptDocument: 'toRead',
  history: 'toRead',
  continue: 'toRead',
  waitingSessions: 'toRead',
  unreviewed: 'toRead',
  dropRule: 'toWrite',
  review: 'toWrite',
  revert: 'toWrite',
  resolveChanges: 'toWrite',
  searchSessions: 'toRead',
  exportSession: 'toRead',
  updateSession: 'toWrite',
  clearSessions: 'toWrite',
  forkSession: 'toWrite',
  rewind: 'toWrite',
  unrewind: 'toWrite',
  importSession: 'toWrite',
};

const NAMES: readonly (keyof HostRequests)[] = [
  'configure',
  'explain',
  'pending',
  'accept',
  'dropRule',
  'rules',
  'decisions',
  'terminalInput',
  'callOutput',
  'compact',
  'retryNow',
  'tools',
  'serverAction',
  'serverContent',
  'readContent',
  'completeContent',
  'newTool',
  'tryTool',
  'rulesDocument',
  'promptDocument',
  'commitMessage',
  'importRules',
  'history',
  'updateSession',
  'clearSessions',
  'searchSessions',
  'forkSession',
  'rewind',
  'unrewind',
  'exportSession',
  'importSession',
  'continue',
  'waitingSessions',
  'queue',
  'removeQueued',
  'editQueued',
  'models',
  'tryModel',
  'languageModelPart',
  'moveQueued',
  'steer',
  'resumeQueue',
  'review',
  'revert',
  'unreviewed',
  'resolveChanges',
];
