import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk';
import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { StoredMessage } from '../../../base/stream/stored.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { Approval } from '../policy/approval.ts';
import type { ChildSession, StartingSession, StoredTask } from './sessionTasks.ts';

/** What is used of a session to start subagents in its name. */
export interface TaskParent {
  readonly id: string;
  readonly cwd: string;
  readonly parent: string | undefined;
  readonly additionalDirectories: readonly string[];
  readonly approval: Approval;
  readonly canAsk: boolean;
  idle(): Promise<void>;
  /** Fails with the agents that a subagent can be started as. */
  findSubagent(name: string): Promise<Outcome<AgentDefinition>>;
}

/** How a session opens the sessions of its subagents. */
export interface ChildOpener {
  start(
    start: Pick<TaskParent, 'cwd' | 'additionalDirectories' | 'approval' | 'canAsk'> & {
      readonly agent: string;
      readonly parent: string;
      readonly parentMessage?: string;
      readonly task: StoredTask;
    },
    services: HostServices,
  ): Promise<OpenedChild>;
  close(sessionId: string): Promise<void>;
}

interface OpenedChild {
  readonly id: string;
  prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse>;
  cancel(): void;
  readonly tasks: { settled(): Promise<void> };
}

export function toStartingSession(
  { recorder }: HostServices,
  session: TaskParent,
  opener: ChildOpener,
): StartingSession {
  return {
    id: session.id,
    get depth() {
      return countAncestors(recorder, session.parent);
    },
    findSubagent: (name) => session.findSubagent(name),
    idle: () => session.idle(),
    async startChild(agent, services, task): Promise<ChildSession> {
      const { cwd, additionalDirectories, approval, canAsk, id } = session;
      const parentMessage = recorder.messages(id).findLast(({ role }) => role === 'user')?.id;
      const child = await opener.start(
        {
          ...{ agent, cwd, additionalDirectories, approval, canAsk, task, parent: id },
          ...(parentMessage !== undefined && { parentMessage }),
        },
        services,
      );
      return {
        id: child.id,
        cancel: () => child.cancel(),
        close: () => opener.close(child.id),
        async ask(text) {
          const { stopReason } = await child.prompt([{ type: 'text', text }]);
          if (stopReason === 'cancelled') return failure('The subagent was stopped.');
          // It is not prompted again, so nobody would learn of their end (spec CS-34).
          await child.tasks.settled();
          return success(toAnswer(recorder.messages(child.id)));
        },
      };
    },
  };
}

function countAncestors(recorder: HostServices['recorder'], parent: string | undefined): number {
  let depth = 0;
  // A damaged history may hold a circle.
  for (let id = parent; id !== undefined && depth < 100; depth++) {
    id = recorder.session(id)?.parent;
  }
  return depth;
}

/** What its last message says (spec CS-24), and how its own tasks in the background have ended. */
function toAnswer(messages: readonly StoredMessage[]): string {
  const own = messages.findLast((each) => each.role === 'assistant' && !isSynthetic(each));
  const parts = own?.parts ?? [];
  const lastCall = parts.findLastIndex(({ type }) => type.startsWith('tool-'));
  const after = toTexts(parts.slice(lastCall + 1));
  const told = messages.filter(isSynthetic).flatMap((each) => toTexts(each.parts));
  const answer = [...(after.length > 0 ? after : toTexts(parts)), ...told].join('\n\n').trim();
  return answer === '' ? 'The subagent has finished without an answer.' : answer;
}

function isSynthetic({ metadata }: StoredMessage): boolean {
  return metadata['synthetic'] === true;
}

function toTexts(parts: StoredMessage['parts']): readonly string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
