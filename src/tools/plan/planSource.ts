import { failure, type Outcome, success } from '../../base/outcome.ts';
import { NO_FILE } from '../applyChanges.ts';
import type { Tool } from '../contract.ts';
import { documentContent } from '../hunks.ts';
import { neverChanges, type ToolSource } from '../toolSource.ts';

interface Args {
  readonly plan: string;
}

/** Characters; more than anyone reads before approving. */
const MOST_CHARACTERS = 100_000;

/** The user reads, edits and approves the plan (spec CS-35, spec CS-36). The running turn stays in plan mode. */
const planExit: Tool<Args, { readonly approved: string; readonly next: string }> = {
  id: 'plan_exit',
  kind: 'switch_mode',
  description:
    'Show the user your whole plan as a document. They read it, may edit it, and approve or reject it. approved is the plan as they approved it, which may differ from yours. You stay in plan mode: end your answer then, and the next message of the user is carried out by the build agent.',
  parameters: {
    type: 'object',
    properties: {
      plan: {
        type: 'string',
        minLength: 1,
        maxLength: MOST_CHARACTERS,
        pattern: '\\S',
        description: 'The plan in Markdown.',
      },
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

  /** A document of its own, which replaces no file and is written nowhere. */
  async preview({ plan }, { session }) {
    if (session.plan === undefined) return NO_PLANS;
    const { file } = session.plan;
    return success({
      changes: [{ path: file, beforeHash: NO_FILE, newText: plan, document: true }],
    });
  },

  async execute({ plan }, { session, signal }, approved) {
    if (session.plan === undefined) return NO_PLANS;
    const text = approved?.changes[0]?.newText ?? plan;
    await session.plan.approve(signal);
    session.progress({ content: documentContent(session.plan.file, text) });
    return success({ approved: text, next: NEXT });
  },
};

const NO_PLANS: Outcome<never> = failure(
  'This session has no plan mode. Answer with the plan instead.',
);

const NEXT =
  'The user approved the plan. End your answer now. The next message starts the work: then do what is approved here, and nothing beyond it.';

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
