import type { CommandAtLimit, LimitChoice } from '../../../runtime/atLimit.ts';
import { askQuestions, DISMISSED, type QuestionContext } from '../../asks/questions.ts';

const BACKGROUND = 'Continue in Background';
const STOP = 'Stop';

/**
 * Asks what to do with a command that has reached its time limit. A dismissed question lets it continue.
 * Undefined without an answer, such as when the command has ended meanwhile.
 */
export async function askAtLimit(
  context: QuestionContext,
  { title, ranMs, moreMs, answerMs, endsWithCall = false }: CommandAtLimit,
  signal: AbortSignal,
): Promise<LimitChoice | undefined> {
  const question = {
    header: 'Still running',
    question: `"${title}" is still running after ${toDuration(ranMs)}, its time limit. If you skip this question, it continues. Without an answer within ${toDuration(answerMs)}, it is stopped.`,
    options: [
      { label: `Continue ${moreMs / 60_000} More Minutes` },
      ...(endsWithCall
        ? []
        : [{ label: BACKGROUND, description: 'The agent goes on without waiting for it.' }]),
      { label: STOP, description: 'Its output so far is kept.' },
    ],
  };
  const answered = await askQuestions(context, [question], signal);
  if (!answered?.ok) return answered?.error === DISMISSED ? 'continue' : undefined;
  const chosen = answered.data[0]?.[0];
  if (chosen === STOP) return 'stop';
  // To skip the question, or to write something else, is no wish to stop it.
  return chosen === BACKGROUND && !endsWithCall ? 'background' : 'continue';
}

function toDuration(ms: number): string {
  const minutes = ms / 60_000;
  if (Number.isInteger(minutes)) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const seconds = Math.round(ms / 100) / 10;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
