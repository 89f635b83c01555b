import type * as acp from '@agentclientprotocol/sdk';
import type {
  BrowserPage,
  BrowserResult,
  DocumentsQuery,
  DocumentsResult,
  EditorModels,
  EditorToolCall,
  EditorToolList,
  EditorToolResult,
  ExternalUri,
  LanguageModelCall,
  LanguageModelResult,
  SaveRule,
  SaveRuleResult,
  SecretQuery,
  SecretResult,
  StoreSecret,
} from '../../acp/gatehouse/client.ts';
import type { ConfigureResult, SandboxStatus } from '../../acp/gatehouse/configure.ts';
import type { Done, HostRequests, ParamsOf, ResultOf } from '../../acp/gatehouse/methods.ts';
import type { UnreviewedFiles } from '../../acp/gatehouse/pending.ts';
import type { SessionQueue } from '../../acp/gatehouse/queues.ts';
import type { TerminalEvent } from '../../acp/gatehouse/terminal.ts';
import type { LanguageAnswer, LanguageQuery } from '../../base/tools/languageQuery.ts';
import type { InputAsk } from '../../base/tools/mcpServer.ts';

/** The methods that the host may call, with parsed parameters. */
export interface ClientMethods {
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
  secret(params: SecretQuery): Promise<SecretResult>;
  serverInput(params: InputAsk, signal: AbortSignal): Promise<SecretResult>;
  editorTools(): Promise<EditorToolList>;
  editorTool(params: EditorToolCall, signal: AbortSignal): Promise<EditorToolResult>;
  language(params: LanguageQuery, signal: AbortSignal): Promise<LanguageAnswer>;
  storeSecret(params: StoreSecret): Promise<Done>;
  openBrowser(params: BrowserPage): Promise<BrowserResult>;
  externalUri(params: ExternalUri): Promise<ExternalUri>;
  saveRule(params: SaveRule): Promise<SaveRuleResult>;
  documents(params: DocumentsQuery): Promise<DocumentsResult>;
  languageModels(): Promise<EditorModels>;
  languageModel(params: LanguageModelCall, signal: AbortSignal): Promise<LanguageModelResult>;
  terminal(event: TerminalEvent): void;
  queueChanged(queue: SessionQueue): void;
  sessionsChanged(): void;
  toolsChanged(): void;
  unreviewedChanged(files: UnreviewedFiles): void;
  sandboxChanged(status: SandboxStatus): void;
  problemsChanged(result: ConfigureResult): void;
}

/** A connection to the host. */
export interface AcpConnection {
  readonly closed: Promise<void>;
  close(): void;
  initialize(params: acp.InitializeRequest): Promise<acp.InitializeResponse>;
  newSession(params: acp.NewSessionRequest): Promise<acp.NewSessionResponse>;
  loadSession(params: acp.LoadSessionRequest): Promise<acp.LoadSessionResponse>;
  setConfigOption(
    params: acp.SetSessionConfigOptionRequest,
  ): Promise<acp.SetSessionConfigOptionResponse>;
  listSessions(params: acp.ListSessionsRequest): Promise<acp.ListSessionsResponse>;
  deleteSession(params: acp.DeleteSessionRequest): Promise<acp.DeleteSessionResponse>;
  prompt(params: acp.PromptRequest): Promise<acp.PromptResponse>;
  cancel(params: acp.CancelNotification): Promise<void>;
  /** Sends an extension request. Rejects if the result is invalid, and at once when `signal` cancels it. */
  call<Name extends keyof HostRequests>(
    name: Name,
    params: ParamsOf<HostRequests, Name>,
    signal?: AbortSignal,
  ): Promise<ResultOf<HostRequests, Name>>;
}
