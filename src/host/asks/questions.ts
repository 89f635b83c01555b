import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { toAnswers, toForm } from '../../acp/elicitation.ts';
import { toMeta } from '../../acp/gatehouse/parse.ts';
import type { PermissionMeta } from '../../acp/gatehouse/permission.ts';
import type { ElicitationMeta } from '../../acp/gatehouse/session.ts';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Question } from '../../runtime/sessionServices.ts';
import { type Client, requestAnswer } from '../client/client.ts';
import type { AskingSession, PendingAsk, PendingAsks } from './asks.ts';

export interface QuestionContext {
  readonly session: AskingSession;
  readonly toolCallId: string;
  readonly client: Client;
  readonly pending: PendingAsks;
  /** Shows the text to the user in the call's card. */
  tell(text: string): void;
}

interface PendingQuestion extends QuestionContext {
  readonly entry: PendingAsk;
}

type Answers = Outcome<readonly (readonly string[])[]>;

/** The error of questions that the user dismissed. */
export const DISMISSED =
  'The user dismissed the question without answering. Stop and wait for the user.';

/**
 * Asks the user (spec C-24): with one form, or one by one in a client without forms, which can show
 * questions with one choice only. The others have empty answers, and the user is told. Undefined if no
 * question can be shown.
 */
export async function askQuestions(
  context: QuestionContext,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<Answers | undefined> {
  if (signal.aborted) return failure('Aborted.');
  const [first] = questions;
  if (context.client.facts.form) {
    return during(context, first, signal, (pending) => askForm(pending, questions, signal));
  }
  const skipped = questions.filter((question) => !isSingleChoice(question));
  if (skipped.length === questions.length) return undefined;
  if (skipped.length > 0) context.tell(toNotice(skipped));
  const answers: (readonly string[])[] = [];
  for (const question of questions) {
    if (skipped.includes(question)) {
      answers.push([]);
      continue;
    }
    const work = (pending: PendingQuestion) => askChoice(pending, question, signal);
    const answer = await during(context, question, signal, work);
    if (!answer.ok) return answer;
    answers.push(answer.data);
  }
  return success(answers);
}

function toNotice(skipped: readonly Question[]): string {
  const lines = skipped.map(({ question }) => `- ${question}`);
  return `This editor can't show these questions, so the agent goes on without an answer:\n${lines.join('\n')}\nTo answer them, write a message.`;
}

/** Lists the question as pending while the client asks it. */
async function during<Answer>(
  context: QuestionContext,
  question: Question | undefined,
  signal: AbortSignal,
  work: (pending: PendingQuestion) => Promise<Answer | undefined>,
): Promise<Outcome<Answer>> {
  const { session, toolCallId, pending } = context;
  const words = question?.header || question?.question || 'Question';
  const title = question?.from === undefined ? words : `${question.from}: ${words}`;
  const asked = { toolCallId, title, kind: 'input' } as const;
  return pending.during(session, asked, async (entry) => {
    try {
      const answer = await work({ ...context, entry });
      if (signal.aborted) return failure('Aborted.');
      return answer === undefined ? failure(DISMISSED) : success(answer);
    } catch (error) {
      if (signal.aborted) return failure('Aborted.');
      const reason = getMessage(error);
      return failure(`The editor could not ask the user: ${reason}`);
    }
  });
}

async function askForm(
  { toolCallId, client, entry: { sessionId, askId, source } }: PendingQuestion,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<readonly (readonly string[])[] | undefined> {
  const response = await requestAnswer(
    client,
    'elicitation/create',
    {
      ...{ mode: 'form', sessionId, toolCallId },
      ...toForm(questions),
      ...toMeta<ElicitationMeta>({ askId, source }),
    },
    signal,
  );
  return toAnswers(questions, response);
}

/** Offers each choice as an `allow_once` option; rejecting skips the question. ACP has no request with several choices. */
async function askChoice(
  { toolCallId, client, entry: { sessionId, askId, source } }: PendingQuestion,
  question: Question,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const choices = question.options ?? [];
  const params: RequestPermissionRequest = {
    sessionId,
    ...toMeta<PermissionMeta>({ askId, source, subjects: [] }),
    toolCall: {
      toolCallId,
      title: question.question,
      name: 'question',
      kind: 'other',
      status: 'pending',
    },
    options: [
      ...choices.map(({ label }, at) => ({
        optionId: `choice-${at}`,
        name: label,
        kind: 'allow_once' as const,
      })),
      { optionId: 'skip', name: 'Skip this question', kind: 'reject_once' as const },
    ],
  };
  const response = await requestAnswer(client, 'session/request_permission', params, signal);
  const { outcome } = response;
  if (outcome.outcome !== 'selected') return undefined;
  const at = choices.findIndex((_, index) => outcome.optionId === `choice-${index}`);
  const chosen = choices[at];
  return chosen === undefined ? [] : [chosen.label];
}

function isSingleChoice(question: Question): boolean {
  return (question.options ?? []).length > 0 && question.multi_select !== true;
}
