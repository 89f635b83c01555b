import type { FileChange } from '../diff/fileChange.ts';
import { evaluate } from '../permissions/evaluate/evaluate.ts';
import type { Decision } from '../permissions/rules/policy.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Admitted } from './admit.ts';
import type { CollectedIn, GateCall } from './gateContext.ts';

/** A change that is no difference of texts. The user may leave it out. */
export interface ProposedEntry {
  /** Unique in its proposal. */
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  /** One line for the user, with code in backticks. */
  readonly text: string;
  /** It is made only together with the change of the file's text. */
  readonly withText?: true;
}

/** The file changes of a proposal, which the user reviews and may change before they are made. */
export interface Preview {
  /** At least one; each for a different file. */
  readonly changes: readonly FileChange[];
}

interface FailedChange
  extends Pick<GateCall, 'operation' | 'context'>,
    Pick<Admitted, 'input' | 'subjects' | 'decision'> {}

/**
 * What is told of a failed change of files, whose text may quote them. The rules have to allow reading each of
 * them, with this tool and with `read`; after the user has allowed the call, they must not deny it.
 */
export async function toTold(
  text: string,
  { operation, context, input, subjects, decision }: FailedChange,
  isAskOver: boolean,
): Promise<string> {
  if (operation.changesFiles !== true) return text;
  const isAnswered = isAskOver && decision.decision === 'ask';
  const unquoted = toUnquoted(operation.id);
  if (decision.layer === 'watchdog' && !isAnswered) return unquoted;
  const read = await decideReading({ operation, context, input, subjects });
  if (read === undefined) {
    return isAskOver || (await mayReadAll({ context, input, subjects })) ? text : unquoted;
  }
  const mayQuote = read === 'allow' || (read === 'ask' && isAnswered);
  return mayQuote ? text : unquoted;
}

function toUnquoted(id: string): string {
  return `${id} can't be carried out as it was called. The reason is left out, because it may quote a file that you may only read once the user has allowed it. Read the file first, then call again.`;
}

/**
 * Whether `read` may read the files of a call that only writes. Why it can't write one tells what is there: a folder,
 * a large file, one that is no text.
 */
async function mayReadAll({
  context,
  input,
  subjects,
}: Pick<FailedChange, 'context' | 'input' | 'subjects'>): Promise<boolean> {
  const [first, ...others] = subjects
    .filter(({ match, tightensOnly }) => match === 'path' && !tightensOnly)
    .map((own): Subject => ({ ...own, permission: 'read', capability: 'fs.read' }));
  if (first === undefined) return true;
  const call = { tool: 'read', input, subjects: [first, ...others] } as const;
  return (await evaluate(call, context.compiler.compile(context.policy()))).decision === 'allow';
}

/**
 * Whether the files of a call may be read, with its own tool and with `read`. Undefined: it reads none.
 */
async function decideReading({
  operation,
  context,
  input,
  subjects,
}: Omit<FailedChange, 'decision'>): Promise<Decision['decision'] | undefined> {
  const [first, ...others] = subjects
    .filter(({ capability, tightensOnly }) => capability === 'fs.read' && !tightensOnly)
    .flatMap((own): Subject[] => [own, { ...own, permission: 'read', tightensOnly: true }]);
  if (first === undefined) return undefined;
  const call = { tool: operation.id, input, subjects: [first, ...others] } as const;
  const { decision } = await evaluate(call, context.compiler.compile(context.policy()));
  return decision;
}

/**
 * Where an edit that asks goes, for a review that comes later. What the watchdog asks about is not left to it:
 * that may be about the arguments. Neither is reading: what the edit finds is told at once.
 */
export async function findCollected(
  { operation, context }: GateCall,
  { decision, input, subjects }: Admitted,
): Promise<CollectedIn | undefined> {
  if (operation.changesFiles !== true || decision.layer !== 'rules') return undefined;
  const collected = context.collects?.();
  if (collected === undefined) return undefined;
  const asksFirst =
    collected === 'disk' && (operation.confirmation !== undefined || !isUncovered(decision));
  if (asksFirst) return undefined;
  const reading = await decideReading({ operation, context, input, subjects });
  return reading === undefined || reading === 'allow' ? collected : undefined;
}

/**
 * Whether the call only asks because no rule covers it. A rule that asks, a protected file and a file outside
 * of the workspace are asked about before anything is written.
 */
function isUncovered({ subjects, details }: Decision): boolean {
  const reasons = details();
  return subjects.every(({ decision, rule }, at) => {
    const detail = reasons[at];
    if (decision !== 'ask') return decision === 'allow';
    return rule === undefined && detail !== undefined && detail.risk === undefined;
  });
}
