import { success } from '../../base/outcome.ts';
import type { PlanItem } from '../../base/stream/dataChunk.ts';
import type { Tool } from '../contract.ts';

interface Args {
  readonly items: readonly PlanItem[];
}

/** The list's scope is the session; the host shows it as the ACP plan (spec C-17). */
export const todo: Tool<Args, { readonly count: number }> = {
  id: 'todo',
  kind: 'other',
  description:
    'Replace the task list that the user sees. Use it for work of three steps or more: write all steps first, then call again when one starts (in_progress, one at a time) or ends (completed). The list you give replaces the one before, so always give all items; an empty list clears it.',
  parameters: {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        maxItems: 200,
        items: {
          type: 'object',
          properties: {
            content: { type: 'string', minLength: 1, description: 'The step, in a few words.' },
            status: { enum: ['pending', 'in_progress', 'completed'] },
            priority: { enum: ['high', 'medium', 'low'], description: 'Default: medium.' },
          },
          required: ['content', 'status'],
          additionalProperties: false,
        },
      },
    },
    required: ['items'],
    additionalProperties: false,
  },
  requires: {},

  subjects: ({ items }) => [
    {
      permission: 'todo',
      target: items.map(({ content }) => content).join('\n'),
      match: 'text',
    },
  ],
  title: ({ items }) => {
    const done = items.filter(({ status }) => status === 'completed').length;
    return items.length === 0 ? 'Plan cleared' : `Plan: ${done} of ${items.length} done`;
  },

  async execute({ items }, { session }) {
    session.setTodo(items);
    return success({ count: items.length });
  },
};
