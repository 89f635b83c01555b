import type { FileChange } from '../diff/fileChange.ts';
import { evaluate } from '../permissions/evaluate/evaluate.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Admitted } from './admit.ts';
import type { GateCall } from './gateContext.ts';

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
  const { id } = operation;
  const unquoted = `${id} can't be carried out as it was called. The reason is left out, because it may quote a file that you may only read once the user has allowed it. Read the file first, then call again.`;
  if (decision.layer === 'watchdog' && !isAnswered) return unquoted;
  const [first, ...others] = subjects
    .filter(({ capability }) => capability === 'fs.read')
    .flatMap((own): Subject[] => [own, { ...own, permission: 'read', tightensOnly: true }]);
  if (first === undefined) return text;
  const call = { tool: id, input, subjects: [first, ...others] } as const;
  const read = await evaluate(call, context.compiler.compile(context.policy()));
  const mayQuote = read.decision === 'allow' || (read.decision === 'ask' && isAnswered);
  return mayQuote ? text : unquoted;
}
