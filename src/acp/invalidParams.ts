import { RequestError } from '@agentclientprotocol/sdk';
import { WireError } from './gatehouse/parse.ts';

/** Wraps a parser: a message that cannot be parsed is answered with -32602 and the field. */
export function orInvalidParams<Message, Parsed>(
  parse: (message: Message) => Parsed,
): (message: Message) => Parsed {
  return (message) => {
    try {
      return parse(message);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw RequestError.invalidParams({ [error.field || 'params']: error.problem }, error.message);
    }
  };
}
