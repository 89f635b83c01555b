import { failure, success } from '../../base/outcome.ts';
import type { Tool } from '../contract.ts';
import { neverChanges, type ToolSource } from '../toolSource.ts';

interface Args {
  readonly plan: string;
}

/** The user reads, edits and approves the plan (spec CS-35, spec CS-36). The running turn stays in plan mode. */
const planExit: Tool<Args, { readonly approved: string; readonly next: string }> = {
  id: 'plan_exit',
  kind: 'switch_mode',
  description:
    'Show the user your whole plan. They read it, may edit it, and approve or reject it. approved is the plan as they approved it. You stay in plan mode: end your answer then, and the next message of the user is carried out by the build agent.',
  parameters: {
    type: 'object',
    properties: {
      plan: { type: 'string', minLength: 1, description: 'The plan in Markdown.' },
    },
    required: ['plan'],
    additionalProperties: false,
  },
  requires: {},
  confirmation: 'ask',
  askReason: 'Approve this plan? Nothing is changed before your next message.',

  subjects: ({ plan }) => [{ permission: 'plan_exit', target: plan, match: 'text' }],
  title: () => 'Plan',
  hangAfterMs: () => Infinity,

  async execute({ plan }, { session }) {
    if (session.approvePlan === undefined) return failure('This session has no plan mode.');
    session.approvePlan();
    return success({
      approved: plan,
      next: 'The user approved the plan. End your answer now. The next message starts the work.',
    });
  },
};

/** The source of `plan_exit`, which only the plan agent has (spec CS-35). */
export const planSource: ToolSource = {
  id: 'plan',
  tools: async ({ agent }) => ({
    tools: agent === 'plan' ? [{ tool: planExit }] : [],
    notOffered: [],
    pending: [],
  }),
  onDidChange: neverChanges,
};
