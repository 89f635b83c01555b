import type { TerminalInput } from '../../base/terminalInput.ts';
import {
  boolean,
  number,
  object,
  optional,
  type Parser,
  parseOneOf,
  string,
  text,
  variants,
  withDefault,
} from './parse.ts';

/** An event of a pane that displays a command of the host. */
export type TerminalEvent =
  | {
      readonly terminalId: string;
      readonly event: 'opened';
      readonly title: string;
      /** The command line that runs; the title may come from the agent. */
      readonly command?: string;
      readonly cwd?: string;
    }
  | { readonly terminalId: string; readonly event: 'output'; readonly data: string }
  | {
      readonly terminalId: string;
      readonly event: 'closed';
      readonly exitCode?: number;
      readonly signal?: string;
    };

type EventOf<Kind extends TerminalEvent['event']> = Extract<
  TerminalEvent,
  { readonly event: Kind }
>;

export const parseTerminalEvent: Parser<TerminalEvent> = variants<TerminalEvent>('event', {
  opened: object<EventOf<'opened'>>({
    terminalId: text,
    event: parseOneOf('opened'),
    title: withDefault(string, ''),
    command: optional(string),
    cwd: optional(string),
  }),
  output: object<EventOf<'output'>>({
    terminalId: text,
    event: parseOneOf('output'),
    data: string,
  }),
  closed: object<EventOf<'closed'>>({
    terminalId: text,
    event: parseOneOf('closed'),
    exitCode: optional(number),
    signal: optional(string),
  }),
});

export const parseTerminalInput: Parser<TerminalInput> = object<TerminalInput>({
  terminalId: text,
  data: optional(string),
  signal: optional(parseOneOf('SIGINT', 'EOF', 'kill')),
  background: optional(boolean),
});

export interface CallOutputQuery {
  readonly sessionId: string;
  readonly toolCallId: string;
}

/** What a call put out. */
export interface CallOutput {
  /** What the model got of it. */
  readonly text: string;
  /** The file with all of it, if `text` was cut. It is gone once the session is closed. */
  readonly path?: string;
}

export const parseCallOutputQuery: Parser<CallOutputQuery> = object<CallOutputQuery>({
  sessionId: text,
  toolCallId: text,
});

export const parseCallOutput: Parser<CallOutput> = object<CallOutput>({
  text: string,
  path: optional(text),
});
