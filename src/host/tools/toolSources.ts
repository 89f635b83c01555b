import path from 'node:path';
import { failure, type Outcome } from '../../base/outcome.ts';
import type { AskInput, McpServer } from '../../base/tools/mcpServer.ts';
import { createDeclaredSource } from '../../declared/declaredSource.ts';
import { openAuditLog } from '../../declared/run/auditLog.ts';
import { createRedaction } from '../../declared/run/redact.ts';
import { chainSecrets, environmentSecrets, type SecretSource } from '../../declared/run/secrets.ts';
import type { PreparedStart } from '../../mcp/connect/processTransport.ts';
import { createEditorSource, type EditorTools } from '../../mcp/editorSource.ts';
import { createMcpSource } from '../../mcp/mcpSource.ts';
import type { SignIns } from '../../mcp/oauth/signIns.ts';
import { createToolCatalog, type ToolCatalog } from '../../tools/toolCatalog.ts';
import type { HiddenFiles, ToolSource } from '../../tools/toolSource.ts';
import type { Acceptances } from '../config/acceptance.ts';
import { type DataFolder, userSettingsFile } from '../config/dataFolder.ts';
import { VERSION } from '../version.ts';
import { createHostSources } from './hostTools.ts';

/** The host services that sources use. */
export interface SourceServices {
  readonly env: NodeJS.ProcessEnv;
  readonly data: Pick<DataFolder, 'state'>;
  readonly acceptances: Acceptances;
  /** How MCP servers are started. Absent: there are none. */
  readonly prepareServer?: (
    server: McpServer,
    folders: readonly string[],
    hidden?: HiddenFiles,
  ) => Promise<Outcome<PreparedStart>>;
  /** Asks the user for values that MCP servers need. Absent: the client can't. */
  readonly askInput?: AskInput | undefined;
  /** The tools of the editor's other extensions. Absent: the client serves none. */
  readonly editorTools?: EditorTools | undefined;
  /** Whether the client has language features. */
  readonly language?: boolean;
  /** The sign-ins at MCP servers. Absent: the client can't. */
  readonly signIns?: SignIns | undefined;
  /** The editor's secret storage, if the client has one. */
  readonly storedSecret?: SecretSource['get'];
}

/** The tool sources, in the order in which the model sees their tools. Add a new source here. */
const TOOL_SOURCES: readonly ((services: SourceServices) => ToolSource | readonly ToolSource[])[] =
  [
    ({ language = false }) => createHostSources(language),
    declaredSource,
    mcpSource,
    ({ editorTools }) => createEditorSource(editorTools ?? NO_EDITOR),
  ];

/** Other clients than the editor have no extensions. */
const NO_EDITOR: EditorTools = {
  list: async () => [],
  call: () => Promise.reject(new Error('This client has no extensions.')),
};

/** The tools of every session of this process. `waitMs`: how long a turn waits for one source. */
export function openToolCatalog(services: SourceServices, waitMs?: number): ToolCatalog {
  return createToolCatalog(
    TOOL_SOURCES.flatMap((create) => create(services)),
    { ...(waitMs !== undefined && { waitMs }) },
  );
}

function declaredSource({ env, data, acceptances, storedSecret }: SourceServices): ToolSource {
  return createDeclaredSource({
    env,
    accepted: acceptances,
    audit: openAuditLog(path.join(data.state, 'audit'), createRedaction(env), () => new Date()),
    secrets: toSecrets(env, storedSecret),
    overrides: path.join(path.dirname(userSettingsFile(env)), 'caps', 'overrides'),
  });
}

function mcpSource(services: SourceServices): ToolSource {
  const { env, data, acceptances, prepareServer, askInput, signIns } = services;
  return createMcpSource({
    ...{ env, askInput, signIns, accepted: acceptances, version: VERSION },
    settingsKey: path.join(data.state, 'mcp-settings'),
    transport: ({ folders }) => ({
      ...(signIns && { signIn: signIns.provider }),
      prepare: async (server, hidden) =>
        prepareServer?.(server, folders, hidden) ??
        failure('MCP servers are only started in sessions.'),
    }),
  });
}

/** The editor's secret storage first, then the environment (spec D-23, D-41). */
function toSecrets(env: NodeJS.ProcessEnv, stored: SecretSource['get'] | undefined): SecretSource {
  const environment = environmentSecrets(env);
  if (stored === undefined) return environment;
  const storage: SecretSource = {
    get: async (id) => (id.startsWith('runloop/') ? stored(id) : undefined),
  };
  return chainSecrets(storage, environment);
}
