import type { ContentBlock, PromptResponse, SessionConfigOption } from '@agentclientprotocol/sdk';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import { parseRules } from '../../permissions/rules/parseRules.ts';
import type { Policy } from '../../permissions/rules/policy.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import type { StoredSession } from '../../recorder/records.ts';
import { knownSecrets } from '../client/secrets.ts';
import type { HostConfiguration } from '../config/configuration.ts';
import type { HostServices } from '../services/hostServices.ts';
import { toConfigOptions } from './configOptions.ts';
import { type Approval, parseApproval } from './policy/approval.ts';
import { createRuleList, toFolders, toPolicy } from './policy/policy.ts';
import { createSessionWatchdog, type SessionWatchdog } from './policy/watchdog.ts';
import { createQueue, type Queue } from './queue.ts';
import type { OpenDriver, TurnSession } from './turn/driver.ts';
import { NOT_SENT, toRequestError } from './turn/promptError.ts';
import { HOST_ENDS, runSessionTurn } from './turn/turn.ts';

/** What a session does right now (CS-82). Approval wins when both waits are open. */
export type SessionStatus = 'idle' | 'busy' | 'waiting_on_approval' | 'waiting_on_user_input';

export interface SessionOptions {
  readonly additionalDirectories?: readonly string[];
  readonly approval?: unknown;
  /** What runs its turns. */
  readonly openDriver: OpenDriver;
}

/** One open session: its queue, its rules, its options. The rows live in the recorder. */
export class Session implements TurnSession {
  readonly id: string;
  readonly cwd: string;
  readonly counters = new Map<string, number>();
  /** Secrets in arguments, and the same call over and over: one memory for each session. */
  readonly watchdog: SessionWatchdog;
  /** What the last call of a tool failed with, for the user's overview. */
  readonly lastErrors = new Map<string, string>();
  readonly #services: HostServices;
  readonly #queue: Queue<readonly ContentBlock[], PromptResponse>;
  readonly #additionalDirectories: readonly string[];
  readonly #listOf = createRuleList();
  #rules: readonly Rule[];
  #approval: Approval;
  #title: string | undefined;

  constructor(services: HostServices, stored: StoredSession, options: SessionOptions) {
    this.#services = services;
    this.id = stored.id;
    this.cwd = stored.cwd;
    this.watchdog = createSessionWatchdog({
      command: () => this.configuration().settings.watchdog.command,
      secrets: () => knownSecrets(services.client),
      cwd: stored.cwd,
      env: services.env,
    });
    this.#title = stored.title;
    this.#additionalDirectories = options.additionalDirectories ?? [];
    this.#approval = parseApproval(options.approval) ?? 'ask';
    // Rows of another host may lack a source: they are session rules (VC-36).
    this.#rules = parseRules(services.recorder.permissions(stored.id), 'session', {
      layer: 'session',
    }).rules;
    this.#queue = createQueue({
      run: (blocks, signal) => runSessionTurn(services, this, options.openDriver, blocks, signal),
      onCancelled: () => ({ stopReason: 'cancelled' }),
      onFailed: () => toRequestError(NOT_SENT),
    });
  }

  /** Queued behind what runs (CS-81). Resolves when this prompt's turn ended. */
  prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    return this.#queue.add(blocks);
  }

  /** Ends the running turn and drains the queue with `cancelled`. */
  cancel(): void {
    this.#queue.cancel();
  }

  /** Cancels, waits for the turn's end, and ends what its commands left running. */
  close(): Promise<void> {
    return this.#stop();
  }

  /** The process ends: nobody aborted the turn, so its rows stay as they are (CS-78). */
  leave(): Promise<void> {
    return this.#stop(HOST_ENDS);
  }

  async #stop(reason?: unknown): Promise<void> {
    this.#queue.cancel(reason);
    // A turn may hang on a client that reads no more; what its commands left running ends before.
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

  get additionalDirectories(): readonly string[] {
    return this.#additionalDirectories;
  }

  configuration(): HostConfiguration {
    return this.#services.configuration.current(this.cwd);
  }

  folders(): PolicyFolders {
    return toFolders(this, this.configuration(), this.#services.data);
  }

  /** Read for each call: rules and folders may have changed since the last one. */
  policy(): Policy {
    const { id, cwd } = this;
    const facts = {
      id,
      cwd,
      additionalDirectories: this.#additionalDirectories,
      approval: this.#approval,
      rules: this.#rules,
      listOf: this.#listOf,
    };
    return toPolicy(facts, this.configuration(), this.#services.data);
  }

  /** Stored at once, so that they hold after a reload (VC-31, CS-15). */
  addRules(rules: readonly Rule[]): void {
    const first = this.#rules.length;
    const added = rules.map((rule, at) => ({
      ...rule,
      origin: { layer: 'session' as const, index: first + at },
    }));
    this.#rules = [...this.#rules, ...added];
    const rows = this.#rules.map(({ origin: _, ...row }) => row);
    this.#services.recorder.setPermissions(this.id, rows);
  }

  configOptions(): SessionConfigOption[] {
    return toConfigOptions(this.#approval, this.configuration().settings.model.id);
  }

  /** False when there is no such option or value. */
  setConfigOption(id: string, value: unknown): boolean {
    if (id === 'model') return value === this.configuration().settings.model.id;
    const approval = id === 'approval' ? parseApproval(value) : undefined;
    if (approval === undefined) return false;
    this.#approval = approval;
    return true;
  }
}
