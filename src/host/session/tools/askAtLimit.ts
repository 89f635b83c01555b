import type { CommandAtLimit, LimitChoice } from '../../../runtime/atLimit.ts';
import { askQuestions, type QuestionContext } from '../../asks/questions.ts';

const BACKGROUND = 'Continue in Background';
const STOP = 'Stop';

/**
 * Asks what to do with a command that has reached its time limit. Undefined without an answer, such as when the
 * command has ended meanwhile.
 */
export async function askAtLimit(
  context: QuestionContext,
  { title, ranMs, moreMs, answerMs }: CommandAtLimit,
  signal: AbortSignal,
): Promise<LimitChoice | undefined> {
  const question = {
    header: 'Still running',
    question: `"${title}" has run for ${toDuration(ranMs)}, which is its time limit. Without an answer within ${toDuration(answerMs)}, it is stopped.`,
    options: [
      { label: `Continue ${moreMs / 60_000} More Minutes` },
      { label: BACKGROUND, description: 'The agent goes on without waiting for it.' },
      { label: STOP, description: 'Its output so far is kept.' },
    ],
  };
  const answered = await askQuestions(context, [question], signal);
  if (!answered?.ok) return undefined;
  const chosen = answered.data[0]?.[0];
  if (chosen === undefined) return undefined;
  if (chosen === STOP) return 'stop';
  // Something that the user wrote is no wish to stop it.
  return chosen === BACKGROUND ? 'background' : 'continue';
}

function toDuration(ms: number): string {
  const minutes = ms / 60_000;
  if (Number.isInteger(minutes)) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const seconds = Math.round(ms / 100) / 10;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
