import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { toAnswers, toForm } from '../../acp/elicitation.ts';
import { toMeta } from '../../acp/gatehouse/meta.ts';
import type { PermissionMeta } from '../../acp/gatehouse/permission.ts';
import type { ElicitationMeta } from '../../acp/gatehouse/session.ts';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Question } from '../../runtime/runtime.ts';
import { type Client, withdrawable } from '../client/client.ts';
import type { AskingSession, PendingAsk, PendingAsks } from './asks.ts';

export interface QuestionContext {
  readonly session: AskingSession;
  readonly toolCallId: string;
  readonly client: Client;
  readonly pending: PendingAsks;
}

interface PendingQuestion extends QuestionContext {
  readonly entry: PendingAsk;
}

type Answers = Outcome<readonly (readonly string[])[]>;

/** For clients that can neither show a form nor offer these choices. */
const AS_TEXT =
  'This editor cannot show this question. Ask it as plain text in your answer and end your turn; the user will reply.';
const CANCELLED = 'The user dismissed the question without answering. Stop and wait for the user.';

/** Asks the user with a form, else with the choices of a single question, else fails with a hint (spec C-24). */
export async function askQuestions(
  context: QuestionContext,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<Answers> {
  if (signal.aborted) return failure('Aborted.');
  const { session, toolCallId, client, pending } = context;
  const [first] = questions;
  const title = first?.header || first?.question || 'Question';
  const choice = questions.length === 1 && first !== undefined ? first : undefined;
  const fallback = choice !== undefined && isSingleChoice(choice) ? choice : undefined;
  if (!client.facts.form && fallback === undefined) return failure(AS_TEXT);
  const asked = { toolCallId, title, kind: 'input' } as const;
  return pending.during(session, asked, async (entry) => {
    try {
      const answers = client.facts.form
        ? await askForm({ ...context, entry }, questions, signal)
        : await askChoice({ ...context, entry }, fallback, signal);
      if (signal.aborted) return failure('Aborted.');
      return answers === undefined ? failure(CANCELLED) : success(answers);
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
  const response = await client.peer.request(
    'elicitation/create',
    {
      ...{ mode: 'form', sessionId, toolCallId },
      ...toForm(questions),
      ...toMeta<ElicitationMeta>({ askId, source }),
    },
    withdrawable(signal),
  );
  return toAnswers(questions, response);
}

/** Offers each choice as an `allow_once` option; rejecting skips the question. ACP has no request with several choices. */
async function askChoice(
  { toolCallId, client, entry: { sessionId, askId, source } }: PendingQuestion,
  question: Question | undefined,
  signal: AbortSignal,
): Promise<readonly (readonly string[])[] | undefined> {
  const choices = question?.options ?? [];
  const params: RequestPermissionRequest = {
    sessionId,
    ...toMeta<PermissionMeta>({ askId, source, subjects: [] }),
    toolCall: {
      toolCallId,
      title: question?.question ?? '',
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
  const response = await client.peer.request(
    'session/request_permission',
    params,
    withdrawable(signal),
  );
  const { outcome } = response;
  if (outcome.outcome !== 'selected') return undefined;
  const at = choices.findIndex((_, index) => outcome.optionId === `choice-${index}`);
  const chosen = choices[at];
  return [chosen === undefined ? [] : [chosen.label]];
}

function isSingleChoice(question: Question): boolean {
  return (question.options ?? []).length > 0 && question.multi_select !== true;
}
