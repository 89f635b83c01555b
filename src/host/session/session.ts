import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk';
import type { ModelRef } from '../../agent/models/provider.ts';
import type { AgentDefinition } from '../../agentDefinitions/definition.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { McpServer } from '../../base/tools/mcpServer.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import type { ExactArguments } from '../../permissions/rules/exactCall.ts';
import type { Policy, StoredRule } from '../../permissions/rules/policy.ts';
import type { CapabilitySet } from '../../permissions/rules/requirements.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import type { StoredSession } from '../../recorder/records.ts';
import type { HostConfiguration } from '../config/configuration.ts';
import type { HostServices } from '../services/hostServices.ts';
import { pickAgent, startableAgents, toListedName } from './agents/agents.ts';
import { SessionAgent } from './agents/sessionAgent.ts';
import { type SessionChoices, toChoices } from './configOptions.ts';
import { type Approval, parseApproval } from './policy/approval.ts';
import { SessionApproval } from './policy/autopilot.ts';
import type { RequiringTool } from './policy/capabilities.ts';
import { toChainRules } from './policy/delegation.ts';
import { SessionLimits } from './policy/limits.ts';
import { createRuleList, toFolders, toPolicy } from './policy/policy.ts';
import { SessionRules } from './policy/sessionRules.ts';
import { createOwnWatchdog, type SessionWatchdog } from './policy/watchdog.ts';
import { createSessionGuidance, type SessionGuidance } from './prompt/sessionGuidance.ts';
import { createPromptQueue, SessionPrompts } from './prompts.ts';
import type { Queue } from './queue.ts';
import { SessionReview } from './review/sessionReview.ts';
import { getStatus, getUnfinished, type SessionStatus } from './sessionStatus.ts';
import type { SessionParts } from './sessions.ts';
import type { SessionTerms } from './start.ts';
import { SessionTasks } from './tasks/sessionTasks.ts';
import { toStartingSession } from './tasks/startingSession.ts';
import type { TurnSession } from './turn/driver.ts';
import { createPlanApproval, type PlanApproval } from './turn/planApproval.ts';
import { createSessionModel, type SessionModel } from './turn/sessionModel.ts';
import { createSessionTitle, type SessionTitle } from './turn/sessionTitle.ts';
import { HOST_ENDS, type TurnJob } from './turn/turn.ts';

/** One open session: its queue, its rules, its options. The recorder holds the stored rows. */
export class Session implements TurnSession {
  readonly id: string;
  readonly cwd: string;
  /** Watches for secrets in arguments and repeated calls. Its state is per session. */
  readonly watchdog: SessionWatchdog;
  readonly review: SessionReview;
  readonly guidance: SessionGuidance;
  readonly tasks: SessionTasks;
  readonly plan: PlanApproval;
  readonly titles: SessionTitle;
  readonly prompts: SessionPrompts;
  /** The error of each tool's last call, for the Tools view. */
  readonly lastErrors = new Map<string, string>();
  /** The session that started this one; undefined when the user did. */
  readonly parent: string | undefined;
  readonly additionalDirectories: readonly string[];
  readonly canAsk: boolean;
  /** The MCP servers that the client gave; a started session has those of the one that started it. */
  readonly mcpServers: readonly McpServer[];
  readonly #services: HostServices;
  readonly #queue: Queue<TurnJob, PromptResponse>;
  readonly #listRules = createRuleList();
  readonly #limits: SessionLimits;
  /** The session that started this one, while it is open. */
  readonly #parentSession: () => Session | undefined;
  readonly #rules: SessionRules;
  readonly #agent: SessionAgent;
  readonly #approval: SessionApproval;
  readonly #endSpan: () => void;
  readonly #model: SessionModel;

  /** Until `loadAgent`, the session has an agent without tools and without any grant. */
  constructor(
    { services, agents, openDriver, find, children }: SessionParts,
    stored: StoredSession,
    terms: SessionTerms,
  ) {
    this.#services = services;
    this.parent = stored.parent;
    this.#parentSession = () => (stored.parent === undefined ? undefined : find(stored.parent));
    this.id = stored.id;
    this.#agent = new SessionAgent(stored, services.recorder, {
      next: () => this.plan.next,
      running: () => this.#queue.running,
      discover: () => agents.discover(this),
      parentFolders: () => this.#parentSession()?.folders().workspace,
    });
    const scratch = { scratch: services.data.scratch, folders: services.scratch };
    this.#limits = new SessionLimits(scratch, stored, find);
    this.cwd = this.#limits.cwd;
    this.watchdog = createOwnWatchdog(services, this);
    this.#endSpan = services.decisions.spans.session(stored.id);
    this.#model = createSessionModel(services.recorder, stored);
    this.additionalDirectories = terms.additionalDirectories;
    this.canAsk = terms.canAsk;
    this.mcpServers = terms.mcpServers ?? this.#parentSession()?.mcpServers ?? [];
    this.#approval = new SessionApproval(terms.approval, services, this);
    this.#rules = new SessionRules(services.recorder, stored.id);
    this.review = new SessionReview(services, this);
    this.guidance = createSessionGuidance(services, this);
    this.plan = createPlanApproval(services, this);
    this.titles = createSessionTitle(services, this, stored.title);
    this.tasks = new SessionTasks(services, toStartingSession(services, this, children));
    this.prompts = new SessionPrompts(this.id, services, () => this.#queue);
    this.#queue = createPromptQueue(services, this, openDriver);
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

  /**
   * Where the session's last turn broke off, if its process ended before it did. `waiting`: where the
   * user was asked, so that it goes on by asking again. A subagent is not continued (spec CS-34).
   */
  get unfinished(): ReturnType<typeof getUnfinished> {
    return this.parent ? undefined : getUnfinished(this.#services.recorder, this.id);
  }

  /** Continues the unfinished turn. Resolves when it ended; without one, or while a turn runs, at once. */
  async continueTurn(): Promise<PromptResponse> {
    if (this.#queue.running || this.parent !== undefined) return { stopReason: 'end_turn' };
    return this.#queue.add('continue');
  }

  /** Replaces the session so far by a summary, in what the model is sent. Resolves when that ended. */
  compact(): Promise<PromptResponse> {
    return this.#queue.add('compact');
  }

  /** Continues the unfinished turn if it only waits for the user. */
  async continueWaiting(): Promise<void> {
    if (this.unfinished === 'waiting') await this.continueTurn();
  }

  /** Cancels the running turn and every queued prompt. */
  cancel(): void {
    this.#queue.cancel();
    void this.tasks.abort();
  }

  async idle(): Promise<void> {
    while (this.#queue.running) await this.#queue.idle();
  }

  async findSubagent(name: string): Promise<Outcome<AgentDefinition>> {
    return pickAgent(await this.#agent.discover(), name, this.id);
  }

  /**
   * Cancels, waits for the turn to end, kills the processes that its commands left running, and removes
   * the scratch folder.
   */
  async close(): Promise<void> {
    await this.#stop();
    await this.#limits.remove();
  }

  /** For the end of the process. Nobody aborted the turn, so its rows stay as they are (spec CS-78). */
  async leave(): Promise<void> {
    this.tasks.leave();
    await this.#stop(HOST_ENDS);
    this.#limits.leave();
  }

  async #stop(reason?: unknown): Promise<void> {
    this.#queue.cancel(reason);
    this.review.close();
    if (reason !== HOST_ENDS) await this.tasks.abort();
    await this.titles.close();
    // A turn may hang on a client that no longer reads, so leftover processes are killed first.
    if (reason === HOST_ENDS) await this.#services.endSession(this.id);
    await this.#queue.idle();
    // Nothing may be written to a session that is closed or deleted. Tasks that are left are told of later.
    if (reason !== HOST_ENDS) await this.tasks.settled();
    this.#endSpan();
    await this.#services.endSession(this.id);
  }

  get status(): SessionStatus {
    return getStatus(this.#services, this.id, this.#queue.running);
  }

  get title(): string | undefined {
    return this.titles.current;
  }

  setTitle(title: string): void {
    this.titles.set(title);
  }

  /** A subagent's mode is always that of the session that started it. */
  get approval(): Approval {
    return this.#parentSession()?.approval ?? this.#approval.current;
  }

  checkApproval(): Promise<void> {
    return this.#approval.check(async () => (await this.choices()).configOptions);
  }

  get definition(): AgentDefinition {
    return this.#agent.definition;
  }

  /**
   * Rereads the definition of the session's agent and uses it from now on. Called at the start of a turn
   * or between turns, because a turn keeps the definition that it began with, also when it is continued.
   */
  loadAgent(begunAs?: string): Promise<Outcome<AgentDefinition>> {
    return this.#agent.load(begunAs);
  }

  configuration(): HostConfiguration {
    return this.#services.configuration.current(this.cwd);
  }

  folders(): PolicyFolders {
    return toFolders(this, this.configuration(), this.#services.data);
  }

  /** Computed for each call, because rules and folders may have changed since the last one. */
  policy(tools: readonly RequiringTool[] = this.#limits.tools): Policy {
    const { id, cwd, additionalDirectories, canAsk, definition, approval } = this;
    const facts = {
      ...{ id, cwd, additionalDirectories, canAsk, tools, definition, approval },
      manifest: toChainRules(this.chain()),
      capabilities: this.#limits.capabilities(this, tools),
      scratchRules: this.#limits.scratchRules(this),
      rules: this.#answers().patterns,
      listRules: this.#listRules,
      isStoredFor: this.#services.rules.isStoredFor,
    };
    return toPolicy(facts, this.configuration(), this.#services.data);
  }

  /** The rules of the definitions from the user's session to this one. */
  chain(): readonly (readonly Rule[])[] {
    return [...(this.#parentSession()?.chain() ?? []), this.definition.permissions];
  }

  /** The user answers in the name of the session that they see, so its subagents share the answers. */
  #answers(): SessionRules {
    const parent = this.#parentSession();
    return parent ? parent.#answers() : this.#rules;
  }

  /** The upper limit of what the session and those that it starts may do. */
  capabilities(): CapabilitySet {
    return this.#limits.capabilities(this);
  }

  addRules(rules: readonly Rule[]): void {
    this.#answers().add(rules);
  }

  dropRule(rule: StoredRule): void {
    this.#answers().drop(rule);
  }

  count(name: string): number {
    return this.#services.recorder.count(this.id, name);
  }

  exactRule(tool: string, given: ExactArguments): Rule | undefined {
    return this.#answers().exact(tool, given);
  }

  get exactRules(): readonly Rule[] {
    return this.#answers().exactCalls;
  }

  /** What the client can choose: the options, and the agents as modes too. */
  async choices(): Promise<SessionChoices> {
    const found = await this.#agent.discover();
    const agents = startableAgents(found, this.parent);
    const agent = toListedName(agents, this.plan.next ?? this.#agent.name);
    const autopilot = await this.#approval.offersAutopilot();
    return toChoices({ agent, agents, approval: this.approval, autopilot, model: this.modelRef });
  }

  /** Sets an option. Returns an error message, or undefined on success. */
  async setConfigOption(id: string, value: unknown): Promise<string | undefined> {
    if (id === 'agent' && typeof value === 'string') return this.#agent.set(value);
    if (id === 'model' && typeof value === 'string') return this.#model.pick(value);
    const approval = id === 'approval' ? parseApproval(value) : undefined;
    if (approval === undefined) return `The option "${id}" cannot be set to this value.`;
    return this.#approval.set(approval);
  }

  get modelRef(): ModelRef | undefined {
    return this.#model.ref(this.configuration().settings.model, this.definition);
  }
}
