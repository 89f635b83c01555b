import { isDeepStrictEqual } from 'node:util';
import { type AgentDefinition, missingAgent } from '../../../agentDefinitions/definition.ts';
import type { Outcome } from '../../../base/outcome.ts';
import type { Recorder } from '../../../recorder/recorder.ts';
import type { StoredSession } from '../../../recorder/records.ts';
import { boundRoots } from '../policy/delegation.ts';
import { type Agents, pickAgent } from './agents.ts';

/** What is used of an open session to know its agent. */
export interface AgentOwner {
  /** The agent of the next turns, if it is not the session's own. */
  next(): string | undefined;
  /** Whether a turn runs. */
  running(): boolean;
  discover(): ReturnType<Agents['discover']>;
  /** The folders of the session that started this one. */
  parentFolders(): Parameters<typeof boundRoots>[1];
}

/** The agent that a session runs as, with the definition that is in force. */
export class SessionAgent {
  /** The name of the agent that the session should run as. */
  #name: string;
  #definition: AgentDefinition;
  /** How many times the definition was read. */
  #loads = 0;
  readonly #stored: Pick<StoredSession, 'id' | 'parent'>;
  readonly #recorder: Pick<Recorder, 'setAgent'>;
  readonly #owner: AgentOwner;

  /** Until `load`, it is an agent without tools and without any grant. */
  constructor(
    stored: Pick<StoredSession, 'agent' | 'id' | 'parent'>,
    recorder: Pick<Recorder, 'setAgent'>,
    owner: AgentOwner,
  ) {
    this.#name = stored.agent;
    this.#definition = missingAgent(stored.agent);
    this.#stored = stored;
    this.#recorder = recorder;
    this.#owner = owner;
  }

  get name(): string {
    return this.#name;
  }

  get definition(): AgentDefinition {
    return this.#definition;
  }

  discover(): ReturnType<AgentOwner['discover']> {
    return this.#owner.discover();
  }

  /** Rereads the definition and uses it from now on. `begunAs`: the agent of the turn that goes on. */
  async load(begunAs?: string): Promise<Outcome<AgentDefinition>> {
    const { discover, next } = this.#owner;
    const load = ++this.#loads;
    const agent = begunAs ?? next() ?? this.#name;
    const picked = pickAgent(await discover(), agent, this.#stored.parent);
    // A newer read started in the meantime, such as that of a turn: its result is more recent.
    if (load !== this.#loads) return picked;
    this.#use(picked.ok ? picked.data : missingAgent(agent));
    return picked;
  }

  /** Changes the agent. A running turn keeps the one that it began with. Returns an error message, or undefined. */
  async set(name: string): Promise<string | undefined> {
    const { discover, running } = this.#owner;
    const { id, parent } = this.#stored;
    const picked = pickAgent(await discover(), name, parent);
    if (!picked.ok) return picked.error;
    // Stored first: if that fails, nothing has changed.
    this.#recorder.setAgent(id, name);
    this.#name = name;
    if (running()) return undefined;
    // A read that started earlier is outdated.
    this.#loads += 1;
    this.#use(picked.data);
    return undefined;
  }

  /** Keeps the object while its content is unchanged, so that its rules are compiled once. */
  #use(next: AgentDefinition): void {
    const bound = boundRoots(next, this.#owner.parentFolders());
    if (!isDeepStrictEqual(bound, this.#definition)) this.#definition = bound;
  }
}
