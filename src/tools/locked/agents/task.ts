import { failure, type Outcome } from '../../../base/outcome.ts';
import type { TaskRequest, TaskResult } from '../../../runtime/sessionServices.ts';
import type { Tool } from '../../contract.ts';

/** Starts a subagent (spec C-18, spec CS-22). */
export const task: Tool<TaskRequest, TaskResult> = {
  id: 'task',
  kind: 'other',
  description:
    'Give a self-contained piece of work to a subagent, which has its own conversation and only sees your prompt. It can do no more than you can. Use it for searches that read much, and several at once for independent work. output is its last answer; with background, you get its session_id at once, and a message when it has finished.',
  parameters: {
    type: 'object',
    properties: {
      subagent_type: {
        type: 'string',
        minLength: 1,
        description: 'The agent, such as explore. An unknown name lists those available.',
      },
      prompt: {
        type: 'string',
        minLength: 1,
        description: 'Everything it has to know, and what to answer.',
      },
      background: { type: 'boolean', description: 'Do not wait for it. Default: false.' },
      metadata: { type: 'object', description: 'Stored with its session.' },
    },
    required: ['subagent_type', 'prompt'],
    additionalProperties: false,
  },
  requires: { capabilities: ['task.spawn'] },

  subjects: ({ prompt }) => [
    { permission: 'task', capability: 'task.spawn', target: prompt, match: 'text' },
  ],
  title: ({ subagent_type, prompt }) => `${subagent_type}: ${prompt.split('\n', 1)[0] ?? ''}`,
  hangAfterMs: () => Infinity,

  async execute(request, { session, signal }): Promise<Outcome<TaskResult>> {
    if (session.runTask === undefined) return failure('Subagents are not available here.');
    return session.runTask(request, signal);
  },
};
