import type * as acp from '@agentclientprotocol/sdk';
import type { OpenDocument } from '../../base/openDocument.ts';
import type { TerminalInput } from '../../base/terminalInput.ts';
import type { Explained } from '../../base/tools/explained.ts';
import type { ToolListing } from '../../base/tools/toolRow.ts';

/** What the host may ask of the editor. `params` of `_gatehouse/*` are checked by each handler. */
export interface ClientHandlers {
  sessionUpdate(params: acp.SessionNotification): void;
  requestPermission(
    params: acp.RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<acp.RequestPermissionResponse>;
  elicit(
    params: acp.CreateElicitationRequest,
    signal: AbortSignal,
  ): Promise<acp.CreateElicitationResponse>;
  readTextFile(params: acp.ReadTextFileRequest): Promise<acp.ReadTextFileResponse>;
  writeTextFile(params: acp.WriteTextFileRequest): Promise<acp.WriteTextFileResponse>;
  secret(id: string): Promise<{ readonly value: string | null }>;
  saveRule(params: Params): Promise<{ readonly file: string }>;
  documents(params: Params): Promise<{ readonly documents: readonly OpenDocument[] }>;
  terminal(params: Params): void;
}

export type Params = Readonly<Record<string, unknown>>;

/** What the host is asked beyond ACP, with the shapes of its answers. */
export interface HostMethods {
  readonly '_gatehouse/configure': {
    readonly params: ConfigurationSnapshot;
    readonly result: { readonly problems?: readonly RuleProblem[] };
  };
  readonly '_gatehouse/explain': {
    readonly params: {
      readonly sessionId?: string;
      readonly tool: string;
      readonly input: unknown;
    };
    readonly result: Explained;
  };
  readonly '_gatehouse/tools': {
    readonly params: { readonly sessionId?: string };
    readonly result: ToolListing;
  };
  readonly '_gatehouse/new_tool': {
    readonly params: object;
    readonly result: { readonly files: readonly string[]; readonly error?: string };
  };
  readonly '_gatehouse/try_tool': {
    readonly params: {
      readonly sessionId: string;
      readonly file: string;
      readonly pointer: string;
      readonly input: unknown;
    };
    readonly result: object;
  };
  readonly '_gatehouse/accept': {
    readonly params: { readonly path: string; readonly hash: string; readonly accepted: boolean };
    readonly result: unknown;
  };
  readonly '_gatehouse/terminal_input': {
    readonly params: TerminalInput;
    readonly result: unknown;
  };
}

/** A whole snapshot of what the user set, sent after `initialize` and on every change. */
export interface ConfigurationSnapshot {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly rules: readonly ConfiguredRule[];
  readonly workspace: {
    readonly roots: readonly string[];
    /** Folders of open files outside every workspace folder. */
    readonly adHoc: readonly string[];
    readonly trusted: boolean;
  };
  readonly editor: { readonly rgPath?: string };
}

/** A rule as it stands in a settings file. Its fields are the user's and not checked here. */
export interface ConfiguredRule {
  readonly permission: unknown;
  readonly pattern: unknown;
  readonly action: unknown;
  readonly added_at?: unknown;
  readonly origin: {
    readonly layer: 'default' | 'user' | 'workspace' | 'folder';
    readonly file?: string;
    readonly folder?: string;
    readonly index: number;
  };
}

export interface RuleProblem {
  readonly origin?: { readonly layer?: string; readonly file?: string; readonly index?: number };
  readonly message: string;
}

/** One connection to the host. */
export interface AcpConnection {
  readonly closed: Promise<void>;
  close(): void;
  initialize(params: acp.InitializeRequest): Promise<acp.InitializeResponse>;
  newSession(params: acp.NewSessionRequest): Promise<acp.NewSessionResponse>;
  loadSession(params: acp.LoadSessionRequest): Promise<acp.LoadSessionResponse>;
  listSessions(params: acp.ListSessionsRequest): Promise<acp.ListSessionsResponse>;
  prompt(params: acp.PromptRequest): Promise<acp.PromptResponse>;
  cancel(params: acp.CancelNotification): Promise<void>;
  call<Method extends keyof HostMethods>(
    method: Method,
    params: HostMethods[Method]['params'],
  ): Promise<HostMethods[Method]['result']>;
}
