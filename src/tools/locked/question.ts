import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Question } from '../../runtime/sessionServices.ts';
import type { Tool } from '../contract.ts';

interface Args {
  readonly questions: readonly Question[];
}

interface Data {
  readonly answers: readonly (readonly string[])[];
}

/** The answer where nobody can be asked: without a user, or in an editor that can't show questions (spec C-25, CA-8). */
export const HEADLESS_ANSWER =
  'Nobody is here to answer. Do not ask again: go on with the most sensible assumption and say in your answer which one it was.';

/** The one locked tool that waits for a person (spec C-22 … C-24). */
export const question: Tool<Args, Data> = {
  id: 'question',
  kind: 'other',
  description:
    'Ask the user short questions, all at once, and wait for the answers. Use it when the answer changes what you do next and you cannot find it out yourself. Offer options where you can; the user may always write something else or skip. answers holds one list for each question, in order: the chosen labels or one free text; empty when skipped.',
  parameters: {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            question: { type: 'string', minLength: 1, description: 'The whole question.' },
            header: { type: 'string', description: 'A title of one or two words.' },
            options: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  label: { type: 'string', minLength: 1 },
                  description: { type: 'string' },
                },
                required: ['label'],
                additionalProperties: false,
              },
            },
            multi_select: { type: 'boolean', description: 'Several options may be chosen.' },
          },
          required: ['question'],
          additionalProperties: false,
        },
      },
    },
    required: ['questions'],
    additionalProperties: false,
  },
  requires: {},

  subjects: ({ questions }) => [
    {
      permission: 'question',
      target: questions.map(({ question: text }) => text).join('\n'),
      match: 'text',
    },
  ],
  title: ({ questions }) =>
    `Ask: ${questions.map(({ header, question: text }) => header || text).join(', ')}`,
  hangAfterMs: () => Infinity,

  async execute({ questions }, { session, signal }) {
    if (session.askQuestions === undefined) return failure(HEADLESS_ANSWER);
    const twice = questions.map(findTwice).find((label) => label !== undefined);
    if (twice !== undefined) {
      return failure(
        `Two options of one question have the label ${JSON.stringify(twice)}. Give each option its own label.`,
      );
    }
    const asked = session.askQuestions(questions, signal);
    const answered = await Promise.race([asked, whenAborted(signal)]);
    if (answered === undefined) return failure(HEADLESS_ANSWER);
    if (!answered.ok) return answered;
    if (answered.data.length !== questions.length) {
      return failure('The editor did not answer every question. Ask again, one at a time.');
    }
    return success({ answers: answered.data });
  },
};

/** Answers are labels, so a duplicate label would be ambiguous. */
function findTwice({ options = [] }: Question): string | undefined {
  const labels = options.map(({ label }) => label);
  return labels.find((label, at) => labels.indexOf(label) < at);
}

/** An abort ends the wait; the host closes its prompt on the same signal (spec VC-54). */
function whenAborted(signal: AbortSignal): Promise<Outcome<never>> {
  return new Promise((resolve) => {
    const stop = () => resolve(failure('The question was cancelled.'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
