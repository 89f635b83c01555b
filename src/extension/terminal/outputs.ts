import { StringDecoder } from 'node:string_decoder';
import type { CallOutput, CallOutputQuery } from '../../acp/gatehouse/terminal.ts';
import { readHeadInBlocks } from '../../base/disk/readRegular.ts';
import { getMessage } from '../../base/faults.ts';
import { PlainOutput, toPlainOutput } from '../../base/text/plainOutput.ts';
import { MB } from '../../base/units.ts';
import type { Translate } from '../text/translate.ts';

export interface OutputsParts {
  /** Asks the host. */
  fetch(query: CallOutputQuery): Promise<CallOutput>;
  /** Opens a read-only document. */
  show(title: string, text: string): Promise<void>;
  copy(text: string): PromiseLike<void>;
  /** Reports a failure to the user. */
  fail(message: string): void;
  readonly t: Translate;
}

/** The most bytes of an output that are opened; an editor refuses larger documents. */
const MOST_BYTES = 40 * MB;

/** What calls put out, as the host keeps it. */
export interface Outputs {
  /** Copies the whole output of a call, or opens it. */
  use(
    how: 'copyOutput' | 'openOutput',
    sessionId: string | undefined,
    toolCallId: string,
  ): Promise<void>;
}

export function createOutputs({ fetch, show, copy, fail, t }: OutputsParts): Outputs {
  return {
    async use(how, sessionId, toolCallId) {
      if (sessionId === undefined) return;
      try {
        const text = await readWhole(await fetch({ sessionId, toolCallId }), t);
        if (how === 'copyOutput') await copy(text);
        else await show(t('Output'), text);
      } catch (error) {
        fail(t('Could not read the output: {0}', getMessage(error)));
      }
    },
  };
}

async function readWhole({ text, path }: CallOutput, t: Translate): Promise<string> {
  if (path === undefined) return toPlainOutput(text);
  const decoder = new StringDecoder('utf8');
  const output = new PlainOutput();
  const { state } = await readHeadInBlocks(path, MOST_BYTES, (block) =>
    output.write(decoder.write(block)),
  );
  if (state === 'read') return output.end();
  const gone = t('The rest of this output is gone, because its session was closed.');
  return `${toPlainOutput(text)}\n\n${gone}\n`;
}
