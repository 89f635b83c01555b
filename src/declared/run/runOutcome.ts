import { failure, type Outcome, success } from '../../base/outcome.ts';
import { CUT_MARK } from '../../base/text/boundedText.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { cutText } from '../../runtime/text.ts';
import { withCut } from '../../tools/truncate.ts';
import { FLOOD } from './options.ts';
import { type Redact, redactDeep } from './redact.ts';

/** What a program said, as far as it was kept. */
export interface Said {
  readonly text: string;
  /** It said more. */
  readonly isCut: boolean;
}

/** The result of a run before secrets are removed. The error ends with the beginning of what the program `said`. */
export type RunOutcome =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: string; readonly said?: Said };

/** The most bytes of what a program said that a failure quotes (spec A-43). */
const QUOTED_BYTES = 1000;

/** A failure that quotes what the program said. */
export function quotingFailure(said: Said, prefix = ''): RunOutcome {
  return { ok: false, error: prefix, said };
}

/** All that a program said, or a part of it that is whole. */
export function wholeText(text: string): Said {
  return { text, isCut: false };
}

/** The failure of a program that was ended because it wrote too much. */
export function flooded(stdout: string, prefix = ''): RunOutcome {
  return quotingFailure({ text: stdout, isCut: true }, `${prefix}${FLOOD}\n`);
}

/** The tool's result, without secrets; what a failure leaves out is in a file that it names (spec CA-15). */
export async function toToolOutcome(
  outcome: RunOutcome,
  redact: Redact,
  { sidecars }: Pick<Runtime, 'sidecars'>,
  name: string,
): Promise<Outcome<unknown>> {
  if (outcome.ok) return success(redactDeep(outcome.data, redact));
  // Cut afterwards: the beginning of a secret that was cut would not be recognized.
  const { text, isCut } = outcome.said ?? wholeText('');
  const said = redact(text, isCut);
  const head = cutText(said, QUOTED_BYTES);
  const error = `${redactError(outcome.error, redact)}${head}`;
  if (head === said) return failure(error);
  const saved = await sidecars.write(name, said);
  if (saved.ok) return withCut(failure(error), saved.data);
  return withCut(
    failure(`${error}\nThe whole output could not be saved: ${saved.error}`),
    undefined,
  );
}

/** An error may quote a result, which it cuts where the mark stands. */
function redactError(error: string, redact: Redact): string {
  const parts = redact(error).split(CUT_MARK);
  return parts.map((part, at) => redact(part, at < parts.length - 1)).join(CUT_MARK);
}
