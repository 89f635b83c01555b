import type { Compaction } from '../../base/stream/dataChunk.ts';
import { isToolBody, type PartBody, STEP } from '../../base/stream/fold.ts';
import type { HistoryMessage } from '../../base/stream/historyMessage.ts';
import { applyCompactions, dropOutput, findMarks, findShown } from './boundary.ts';
import { countCharacters, countParts } from './sizes.ts';

/** The fields of a compaction that say what it leaves as it was. */
export type Tail = Pick<Compaction, 'tail_start_id' | 'tail_messages' | 'tail_start_step'>;

export interface CompactionPlan {
  readonly tail: Tail;
  /** What is compacted, as the model would be sent it. */
  readonly old: readonly HistoryMessage[];
  /** Characters of `old`, and of what stays. */
  readonly oldCharacters: number;
  readonly tailCharacters: number;
  /** Outputs of calls in what stays. */
  readonly tailOutputs: number;
}

/**
 * What to compact of a conversation whose last message is the turn's own answer so far. The last two
 * turns stay if they take at most `most` characters, else the last one, else its message and the newest
 * steps that fit (spec CS-86). Without `most`, nothing stays.
 */
export function planCompaction(
  messages: readonly HistoryMessage[],
  most: number | undefined,
): CompactionPlan {
  const shown = findShown(messages);
  const effective = applyCompactions(messages);
  const own = shown.length - 1;
  const { at, step } = most === undefined ? { at: own, step: undefined } : chooseTail(shown, most);
  const answer = effective.at(-1);
  const parts = shown[own]?.parts ?? [];
  // Both lists end with the same messages; a summary stands at the start of the second.
  const before = effective.slice(0, effective.length - 1 - (own - at));
  const cut =
    answer === undefined ? 0 : answer.parts.length - (parts.length - findStep(parts, step));
  const begun =
    answer === undefined || cut <= 0 ? [] : [{ ...answer, parts: answer.parts.slice(0, cut) }];
  const old = [...before, ...begun];
  const rest = [
    ...effective.slice(before.length, effective.length - 1),
    ...(answer === undefined ? [] : [{ ...answer, parts: answer.parts.slice(Math.max(0, cut)) }]),
  ];
  const id = at < own ? shown[at]?.id : undefined;
  return {
    tail: {
      ...(id !== undefined && { tail_start_id: id, tail_messages: own - at }),
      ...(step !== undefined && { tail_start_step: step }),
    },
    old,
    oldCharacters: countCharacters(old),
    tailCharacters: countCharacters(rest),
    tailOutputs: countOutputs(rest),
  };
}

interface Choice {
  /** The index of the first message that stays. */
  readonly at: number;
  /** The step of the turn's own answer from which it stays; 0 for all of it. */
  readonly step: number | undefined;
}

function chooseTail(shown: readonly HistoryMessage[], most: number): Choice {
  const own = shown.length - 1;
  const parts = shown[own]?.parts ?? [];
  const { summed } = findMarks(shown);
  // What the last summary replaced must not come back.
  const after = summed === undefined ? -1 : summed.message < own ? summed.message : summed.tail - 1;
  const prompts = shown.flatMap(({ role }, index) =>
    role === 'user' && index > after && index < own ? [index] : [],
  );
  const firstPart = summed?.message === own ? summed.part + 1 : 0;
  const size = (at: number) =>
    countCharacters(shown.slice(at, own)) + countParts(parts.slice(firstPart));
  const [last = own, previous = last] = prompts.slice(-2).reverse();
  const steps = toSteps(parts, firstPart);
  const whole = firstPart === 0 ? 0 : steps[0]?.step;
  if (size(previous) <= most) return { at: previous, step: whole };
  if (size(last) <= most || steps.length === 0) return { at: last, step: whole };
  const room = most - countCharacters(shown.slice(last, own));
  return { at: last, step: findNewest(steps, room) };
}

interface Step {
  /** 1-based among all steps of the message. */
  readonly step: number;
  readonly characters: number;
}

function toSteps(parts: readonly PartBody[], from: number): readonly Step[] {
  const starts = parts.flatMap(({ type }, index) => (type === STEP ? [index] : []));
  return starts.flatMap((start, index) => {
    const characters = countParts(parts.slice(start, starts[index + 1]));
    return start < from ? [] : [{ step: index + 1, characters }];
  });
}

/** The first of the newest steps that fit; at least the last one that says anything. */
function findNewest(steps: readonly Step[], room: number): number | undefined {
  let left = room;
  let first: number | undefined;
  let any = false;
  for (const { step, characters } of steps.toReversed()) {
    if (any && characters > left) break;
    left -= characters;
    any ||= characters > 0;
    first = step;
  }
  return first;
}

/** The index of the first part that stays. */
function findStep(parts: readonly PartBody[], step: number | undefined): number {
  if (step === undefined) return parts.length;
  if (step === 0) return 0;
  const starts = parts.flatMap(({ type }, index) => (type === STEP ? [index] : []));
  return starts[step - 1] ?? parts.length;
}

/** The same messages with notes instead of large outputs, and how many there are. */
export function pruneAll(messages: readonly HistoryMessage[]): {
  readonly characters: number;
  readonly outputs: number;
} {
  const parts = messages.flatMap((message) => message.parts);
  const pruned = parts.map(dropOutput);
  return {
    characters: countParts(pruned),
    outputs: pruned.filter((part, index) => part !== parts[index]).length,
  };
}

function countOutputs(messages: readonly HistoryMessage[]): number {
  return messages
    .flatMap(({ parts }) => parts)
    .filter((part) => isToolBody(part) && part.output !== undefined).length;
}
