import { Transform } from 'node:stream';
import { parseJson } from '../../base/json.ts';
import { MB } from '../../base/units.ts';

export interface LineBounds {
  /** The longest line that passes, in bytes without its end. */
  readonly most: number;
  /** Answers a request that was too long, in place of whoever would have served it. */
  refuse(answer: object): void;
}

/**
 * Passes protocol lines and leaves out those that are too long, which the SDK would take for the end of
 * the connection. A request or notification is answered with an error. In place of an answer to one of
 * our own requests, an error passes, so that nobody waits for it forever.
 */
export function boundLines({ most, refuse }: LineBounds): Transform {
  let held: Buffer[] = [];
  let size = 0;

  /** The whole line, or what stands for it. */
  const end = (out: Transform) => {
    const line = Buffer.concat([...held, NEW_LINE]);
    const long = size > most;
    held = [];
    size = 0;
    if (!long) {
      out.push(line);
      return;
    }
    const { answers, message } = describeLong(line, most);
    if (answers) out.push(`${JSON.stringify(message)}\n`);
    else refuse(message);
  };
  /** Of a line that is too long, only both ends are kept: its id may stand in either. */
  const hold = (bytes: Buffer) => {
    size += bytes.length;
    held.push(bytes);
    if (size <= most) return;
    const [head, ...rest] = held[0]?.length === HEAD ? held : [Buffer.concat(held)];
    // Copies, because a slice would keep the whole line.
    const tail = Buffer.concat([head?.subarray(HEAD) ?? NOTHING, ...rest.map(takeEnd)]);
    held = [Buffer.from(head?.subarray(0, HEAD) ?? NOTHING), Buffer.from(takeEnd(tail))];
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
        hold(chunk.subarray(start, at));
        end(this);
        start = at + 1;
      }
      if (start < chunk.length) hold(chunk.subarray(start));
      done();
    },
    flush(done) {
      if (size > 0) end(this);
      done();
    },
  });
}

function takeEnd(bytes: Buffer): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - TAIL));
}

const NOTHING = Buffer.alloc(0);
const NEW_LINE = Buffer.from('\n');
/** Bytes of a long line that are looked at. */
const HEAD = 1024;
const TAIL = 512;

interface LongLine {
  /** Whether it is the answer to a request of ours. */
  readonly answers: boolean;
  readonly message: object;
}

function describeLong(line: Buffer, most: number): LongLine {
  const { method, id } = readNames(line.subarray(0, HEAD).toString());
  const last = method ? LAST_ID.exec(line.subarray(-TAIL).toString())?.[1] : undefined;
  const text = id ?? last;
  const error = {
    code: -32600,
    message: `The message is larger than ${Math.ceil(most / MB)} MB, so it was not read. Remove an attachment and send it again.`,
    data: { kind: 'too-large', retryable: false },
  };
  const known = text === undefined ? null : (parseJson(text) ?? null);
  const answers = !method && known !== null;
  // An id without a method may be of either side: an error with it would answer a wrong request.
  return { answers, message: { jsonrpc: '2.0', id: known, error } };
}

/** The fields before the first that is long. */
function readNames(head: string): { readonly method: boolean; readonly id?: string } {
  const fields = new Map<string, string>();
  FIELD.lastIndex = /^\s*\{/.exec(head)?.[0].length ?? head.length;
  for (let field = FIELD.exec(head); field !== null; field = FIELD.exec(head)) {
    fields.set(field[1] ?? '', field[2] ?? '');
  }
  const id = fields.get('id');
  return { method: fields.has('method'), ...(id !== undefined && { id }) };
}

const FIELD = /\s*"(jsonrpc|id|method)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+|null)\s*,/y;
/** One brace at the end closes the message itself, so the id before it is the message's. */
const LAST_ID = /,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*\}\s*$/;
