import { isDeepStrictEqual } from 'node:util';
import type { ContentBlock, PromptResponse, SessionConfigOption } from '@agentclientprotocol/sdk';
import type { SessionQueue } from '../../acp/gatehouse/queues.ts';
import { type AgentDefinition, missingAgent } from '../../agentDefinitions/definition.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import { parseRules } from '../../permissions/rules/parseRules.ts';
import type { Policy } from '../../permissions/rules/policy.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import type { StoredSession } from '../../recorder/records.ts';
import { notifyClient } from '../client/requestClient.ts';
import { knownSecrets } from '../client/secrets.ts';
import type { HostConfiguration } from '../config/configuration.ts';
import type { HostServices } from '../services/hostServices.ts';
import { type Agents, pickAgent, startableAgents } from './agents.ts';
import { toConfigOptions } from './configOptions.ts';
import { type Approval, parseApproval } from './policy/approval.ts';
import { createCapabilities, type RequiringTool } from './policy/capabilities.ts';
import { createRuleList, toFolders, toPolicy } from './policy/policy.ts';
import { createSessionWatchdog, type SessionWatchdog } from './policy/watchdog.ts';
import { createQueue, type Queue } from './queue.ts';
import { toSessionQueue, withText } from './queuedPrompt.ts';
import { SessionReview } from './review/sessionReview.ts';
import type { SessionTerms } from './start.ts';
import type { OpenDriver, TurnSession } from './turn/driver.ts';
import { NOT_SENT, toRequestError } from './turn/promptError.ts';
import { HOST_ENDS, runSessionTurn } from './turn/turn.ts';

/** What a session is doing (spec CS-82). Approval wins when an approval and a question are both pending. */
export type SessionStatus = 'idle' | 'busy' | 'waiting_on_approval' | 'waiting_on_user_input';

export interface SessionParts {
  readonly services: HostServices;
  readonly agents: Agents;
  /** Prepares the driver that runs the session's turns. */
  readonly openDriver: OpenDriver;
}

/** One open session: its queue, its rules, its options. The recorder holds the stored rows. */
export class Session implements TurnSession {
  readonly id: string;
  readonly cwd: string;
  readonly counters = new Map<string, number>();
  /** Watches for secrets in arguments and repeated calls. Its state is per session. */
  readonly watchdog: SessionWatchdog;
  readonly review: SessionReview;
  /** The error of each tool's last call, for the Tools view. */
  readonly lastErrors = new Map<string, string>();
  /** The session that started this one; undefined when the user did. */
  readonly parent: string | undefined;
  readonly additionalDirectories: readonly string[];
  readonly canAsk: boolean;
  readonly #services: HostServices;
  readonly #agents: Agents;
  readonly #queue: Queue<readonly ContentBlock[], PromptResponse>;
  readonly #capabilitiesOf = createCapabilities();
  readonly #listRules = createRuleList();
  /** The name of the agent that the session should run as. */
  #agent: string;
  #definition: AgentDefinition;
  /** How many times the definition was read. */
  #loads = 0;
  #rules: readonly Rule[];
  #approval: Approval;
  #title: string | undefined;

  /** Until `loadAgent`, the session has an agent without tools and without any grant. */
  constructor(
    { services, agents, openDriver }: SessionParts,
    stored: StoredSession,
    terms: SessionTerms,
  ) {
    this.#services = services;
    this.#agents = agents;
    this.#agent = stored.agent;
    this.#definition = missingAgent(stored.agent);
    this.parent = stored.parent;
    this.id = stored.id;
    this.cwd = stored.cwd;
    this.watchdog = createSessionWatchdog({
      command: () => this.configuration().settings.watchdog.command,
      secrets: () => knownSecrets(services.client),
      cwd: stored.cwd,
      env: services.env,
    });
    this.#title = stored.title;
    this.additionalDirectories = terms.additionalDirectories;
    this.canAsk = terms.canAsk;
    this.#approval = terms.approval;
    // Rows written by another host may lack a source; they count as session rules (spec VC-36).
    this.#rules = parseRules(services.recorder.permissions(stored.id), 'session', {
      layer: 'session',
    }).rules;
    this.review = new SessionReview(services, this);
    this.#queue = createQueue({
      run: (blocks, signal) => runSessionTurn(services, this, openDriver, blocks, signal),
      onCancelled: () => ({ stopReason: 'cancelled' }),
      onFailed: () => toRequestError(NOT_SENT),
      onChanged: () => this.#publishQueue(),
    });
  }

  /**
   * Queues a prompt behind the running one (spec CS-81), under the name `queueId`. Resolves when its turn
   * ended. `withdrawn` removes the prompt while it is queued, and cancels the session once it runs.
   */
  prompt(
    blocks: readonly ContentBlock[],
    queueId?: string,
    withdrawn?: AbortSignal,
  ): Promise<PromptResponse> {
    return this.#queue.add(blocks, queueId, withdrawn);
  }

  /** The queued prompts and the running one. */
  get queue(): SessionQueue {
    return toSessionQueue(this.id, this.#queue.state);
  }

  /** Answers a queued prompt with `cancelled`. False when it is no longer queued. */
  removeQueued(id: string): boolean {
    return this.#queue.remove(id);
  }

  /** Replaces the text of a queued prompt and keeps its attachments. False when it is no longer queued. */
  editQueued(id: string, text: string): boolean {
    return this.#queue.edit(id, (blocks) => withText(blocks, text));
  }

  #publishQueue(): void {
    const { client, warn } = this.#services;
    if (!client.facts.queue) return;
    notifyClient(client, 'queueChanged', this.queue).catch((error) => warn(String(error)));
  }

  /** Cancels the running turn and every queued prompt. */
  cancel(): void {
    this.#queue.cancel();
  }

  /** Cancels, waits for the turn to end, and kills the processes that its commands left running. */
  close(): Promise<void> {
    return this.#stop();
  }

  /** For the end of the process. Nobody aborted the turn, so its rows stay as they are (spec CS-78). */
  leave(): Promise<void> {
    return this.#stop(HOST_ENDS);
  }

  async #stop(reason?: unknown): Promise<void> {
    this.#queue.cancel(reason);
    this.review.close();
    // A turn may hang on a client that no longer reads, so leftover processes are killed first.
    if (reason === HOST_ENDS) await this.#services.endSession(this.id);
    await this.#queue.idle();
    await this.#services.endSession(this.id);
  }

  get status(): SessionStatus {
    const asks = this.#services.pending.list(this.id);
    if (asks.some((ask) => ask.kind === 'approval')) return 'waiting_on_approval';
    if (asks.length > 0) return 'waiting_on_user_input';
    return this.#queue.running ? 'busy' : 'idle';
  }

  get title(): string | undefined {
    return this.#title;
  }

  setTitle(title: string): void {
    this.#title = title;
    this.#services.recorder.setTitle(this.id, title);
  }

  get definition(): AgentDefinition {
    return this.#definition;
  }

  /**
   * Rereads the definition of the session's agent and uses it from now on. Called at the start of a turn
   * or between turns, because a turn keeps the definition that it began with.
   */
  async loadAgent(): Promise<Outcome<AgentDefinition>> {
    const load = ++this.#loads;
    const picked = pickAgent(await this.#agents.discover(this), this.#agent, this.parent);
    // A newer read started in the meantime, such as that of a turn: its result is more recent.
    if (load !== this.#loads) return picked;
    const next = picked.ok ? picked.data : missingAgent(this.#agent);
    // Keep the object while its content is unchanged, so that its rules are compiled once.
    if (!isDeepStrictEqual(next, this.#definition)) this.#definition = next;
    return picked;
  }

  configuration(): HostConfiguration {
    return this.#services.configuration.current(this.cwd);
  }

  folders(): PolicyFolders {
    return toFolders(this, this.configuration(), this.#services.data);
  }

  /** Computed for each call, because rules and folders may have changed since the last one. */
  policy(tools: readonly RequiringTool[]): Policy {
    const { id, cwd, additionalDirectories, canAsk } = this;
    const definition = this.#definition;
    const approval = this.#approval;
    const facts = {
      ...{ id, cwd, additionalDirectories, canAsk, definition, approval },
      capabilities: this.#capabilitiesOf({ definition, tools, approval }),
      rules: this.#rules,
      listRules: this.#listRules,
    };
    return toPolicy(facts, this.configuration(), this.#services.data);
  }

  /** Stored immediately, so that the rules survive a reload (spec VC-31, CS-15). */
  addRules(rules: readonly Rule[]): void {
    const first = this.#rules.length;
    const added = rules.map((rule, at) => ({
      ...rule,
      origin: { layer: 'session' as const, index: first + at },
    }));
    this.#setRules([...this.#rules, ...added]);
  }

  /** Removes the newest rule that equals `rule`, if there is one. */
  dropRule({ permission, pattern, action }: Pick<Rule, 'permission' | 'pattern' | 'action'>): void {
    const index = this.#rules.findLastIndex(
      (each) =>
        each.permission === permission && each.pattern === pattern && each.action === action,
    );
    if (index >= 0) this.#setRules(this.#rules.toSpliced(index, 1));
  }

  #setRules(rules: readonly Rule[]): void {
    this.#rules = rules;
    const rows = this.#rules.map(({ origin: _, ...row }) => row);
    this.#services.recorder.setPermissions(this.id, rows);
  }

  async configOptions(): Promise<SessionConfigOption[]> {
    const found = await this.#agents.discover(this);
    return toConfigOptions({
      approval: this.#approval,
      modelId: this.#modelId(),
      agent: this.#agent,
      agents: startableAgents(found, this.parent),
    });
  }

  /** Sets an option. Returns an error message, or undefined on success. */
  async setConfigOption(id: string, value: unknown): Promise<string | undefined> {
    if (id === 'agent' && typeof value === 'string') return this.#setAgent(value);
    if (id === 'model' && value === this.#modelId()) return undefined;
    const approval = id === 'approval' ? parseApproval(value) : undefined;
    if (approval === undefined) return `The option "${id}" cannot be set to this value.`;
    this.#approval = approval;
    return undefined;
  }

  /** A running turn keeps the agent that it began with. */
  async #setAgent(name: string): Promise<string | undefined> {
    const picked = pickAgent(await this.#agents.discover(this), name, this.parent);
    if (!picked.ok) return picked.error;
    this.#agent = name;
    this.#services.recorder.setAgent(this.id, name);
    if (!this.#queue.running) await this.loadAgent();
    return undefined;
  }

  #modelId(): string | undefined {
    return this.#definition.model ?? this.configuration().settings.model.id;
  }
}
