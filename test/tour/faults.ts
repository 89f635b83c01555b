import type { Reply } from './server.ts';

/**
 * `#fault-NAME` provokes a fault of the endpoint, every time it is asked; `#fault-NAME-once` only the
 * first time, so that *Retry* succeeds.
 */
export function createFaults(): (name: string, prompt: string) => Reply {
  const counts = new Map<string, number>();
  return (name, prompt) => {
    const count = (counts.get(prompt) ?? 0) + 1;
    counts.set(prompt, count);
    const once = name.endsWith('-once');
    const fault = FAULTS[once ? name.slice(0, -'-once'.length) : name];
    if (fault === undefined) {
      return { text: `There is no such fault. Try ${Object.keys(FAULTS).map(toWord).join(', ')}.` };
    }
    const { times = Number.POSITIVE_INFINITY, reply } = fault;
    if (count <= (once ? 1 : times)) return reply;
    counts.delete(prompt);
    return RECOVERED;
  };
}

const RECOVERED: Reply = { text: 'The endpoint is well again, and this is the answer.' };
const HALF = 'The answer begins, and then it ';

interface ScriptedTrouble {
  readonly reply: Reply;
  /** How often it fails before it recovers; for ever unless said. */
  readonly times?: number;
}

const FAULTS: Readonly<Record<string, ScriptedTrouble>> = {
  '401': head(401, 'Incorrect API key provided.'),
  '403': head(403, 'This key may not use this model.'),
  '404': head(404, 'The model does not exist.'),
  '429': { ...head(429, 'Too many requests.', { 'retry-after': '1' }), times: 2 },
  '500': head(500, 'Internal error.', { 'retry-after-ms': '50' }),
  context: head(400, 'This model has a maximum context length of 8192 tokens.'),
  down: { reply: { fault: { at: 'before-first', how: 'reset' } } },
  'stall-first': { reply: { fault: { at: 'before-first', how: 'stall' } } },
  stall: after('stall'),
  broken: after('broken-line'),
  overloaded: after('error'),
  reset: after('reset'),
  'no-finish': after('no-finish'),
  json: { reply: { calls: [{ tool: 'read', input: '{"path": ' }] }, times: 1 },
  tool: { reply: { calls: [{ tool: 'no_such_tool', input: {} }] }, times: 1 },
};

function head(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): ScriptedTrouble {
  return { reply: { fault: { at: 'head', status, message, ...(headers && { headers }) } } };
}

function after(how: 'stall' | 'broken-line' | 'error' | 'reset' | 'no-finish'): ScriptedTrouble {
  return { reply: { text: HALF, fault: { at: 'mid-stream', how } } };
}

function toWord(name: string): string {
  return `\`#fault-${name}\``;
}
