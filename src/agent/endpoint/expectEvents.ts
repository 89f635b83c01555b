import { NoStreamError } from './errors.ts';

/** What is read of a document, in bytes: enough to say what it is. */
const MOST = 64 * 1024;

/**
 * Rejects the body of a success that is a document, not a stream of events (a login page, an error with
 * status 200, the whole answer as JSON): the SDK skips what is no event, so that the answer would seem
 * to be empty. Throws `NoStreamError` in the stream.
 */
export function expectEvents(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(checked(response.body), { status, statusText, headers });
  };
}

function checked(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let begun = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      const first = begun ? undefined : value.find((byte) => !BEFORE.has(byte));
      if (first !== undefined) begun = true;
      if (first === undefined || !DOCUMENT.has(first)) return controller.enqueue(value);
      controller.error(new NoStreamError(await readStart(reader, value)));
      reader.cancel().catch(() => undefined);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** White space and the bytes of a byte order mark. */
const BEFORE = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
/** No name of an event's field begins with `<`, `{` or `[`. */
const DOCUMENT = new Set(Buffer.from('<{['));

async function readStart(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  first: Uint8Array,
): Promise<string> {
  const chunks = [first];
  for (let size = first.length; size < MOST; ) {
    // What was read so far says what it is, also when the rest fails.
    const { value } = await reader.read().catch(() => ({ value: undefined }));
    if (value === undefined) break;
    chunks.push(value);
    size += value.length;
  }
  return Buffer.concat(chunks)
    .subarray(0, MOST)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
}
