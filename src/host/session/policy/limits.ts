import path from 'node:path';
import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import type { CapabilitySet } from '../../../permissions/rules/requirements.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';
import type { StoredSession } from '../../../recorder/records.ts';
import type { HostConfiguration } from '../../config/configuration.ts';
import type { Approval } from './approval.ts';
import { createCapabilities, type RequiringTool } from './capabilities.ts';
import { toDelegable } from './delegation.ts';
import { createScratch, type Scratch } from './scratch.ts';

/** The part of a session that its limits depend on. */
export interface LimitedSession {
  /** The session that started this one; undefined when the user did. */
  readonly parent: string | undefined;
  readonly definition: AgentDefinition;
  readonly approval: Approval;
  configuration(): Pick<HostConfiguration, 'workspace'>;
}

interface CapableSession {
  capabilities(): CapabilitySet;
}

/** The scratch folders of the sessions. */
interface SessionFolders {
  /** Creates a session's folder. Absolute. */
  open(sessionId: string): string;
  leave(sessionId: string): void;
  remove(sessionId: string): Promise<void>;
}

const NOTHING: CapabilitySet = {};
const NO_RULES: readonly Rule[] = [];

/** The capability set of one session, and the scratch folder that it has while no folder is open. */
export class SessionLimits {
  /** The session's root: the stored one, or its scratch folder. */
  readonly cwd: string;
  readonly #scratch: Scratch;
  readonly #folders: SessionFolders;
  readonly #id: string;
  readonly #find: (sessionId: string) => CapableSession | undefined;
  readonly #capabilitiesOf = createCapabilities();
  #tools: readonly RequiringTool[] = [];

  /** `scratch` is the folder with the scratch `folders` of all sessions; `find` finds open sessions. */
  constructor(
    { scratch, folders }: { readonly scratch: string; readonly folders: SessionFolders },
    { id, cwd, parent }: Pick<StoredSession, 'id' | 'cwd' | 'parent'>,
    find: (sessionId: string) => CapableSession | undefined,
  ) {
    // A subagent works in the scratch folder of the session that started it, which its root is.
    const isOwn = parent === undefined || path.dirname(cwd) !== scratch;
    this.#scratch = createScratch(scratch, isOwn ? id : path.basename(cwd));
    this.#find = find;
    this.#folders = folders;
    this.#id = id;
    this.cwd = cwd === scratch ? folders.open(id) : cwd;
  }

  /** The tools of the agent, as of the last call. */
  get tools(): readonly RequiringTool[] {
    return this.#tools;
  }

  /** The same set while nothing changed that it depends on. Default of `tools`: those of the last call. */
  capabilities(session: LimitedSession, tools = this.#tools): CapabilitySet {
    this.#tools = tools;
    const { definition, approval, parent } = session;
    return this.#capabilitiesOf({
      ...{ definition, approval, tools },
      ...(this.#needsScratch(session) && { scratch: this.#scratch.pattern }),
      // What a session whose parent is gone may do can't be told.
      ...(parent !== undefined && {
        parent: toDelegable(this.#find(parent)?.capabilities() ?? NOTHING),
      }),
    });
  }

  /** Rules for the scratch folder, so that it is reachable without asking (spec CS-103). */
  scratchRules(session: LimitedSession): readonly Rule[] {
    return this.#needsScratch(session) ? this.#scratch.rules : NO_RULES;
  }

  /** Removes the scratch folder, if there is one. */
  remove(): Promise<void> {
    return this.#folders.remove(this.#id);
  }

  /** The host ends, and the scratch folder waits for the session to be opened again. */
  leave(): void {
    this.#folders.leave(this.#id);
  }

  /** Whether no folder is open. */
  #needsScratch(session: LimitedSession): boolean {
    const roots = session.configuration().workspace?.roots;
    return this.cwd === this.#scratch.folder || roots?.length === 0;
  }
}
