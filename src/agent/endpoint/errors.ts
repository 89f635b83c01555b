/** The endpoint sent nothing for too long. */
export class StallError extends Error {
  readonly afterMs: number;
  readonly beforeFirst: boolean;

  constructor(afterMs: number, beforeFirst: boolean) {
    super(`no answer for ${afterMs} ms`);
    this.afterMs = afterMs;
    this.beforeFirst = beforeFirst;
  }
}

/** The endpoint sent more than is read. */
export class OversizeError extends Error {
  readonly what: 'event' | 'answer';
  readonly bytes: number;

  constructor(what: 'event' | 'answer', bytes: number) {
    super(`${what} larger than ${bytes} bytes`);
    this.what = what;
    this.bytes = bytes;
  }
}

/** The editor refused a request to one of its language models. */
export class EditorModelError extends Error {
  /** `NoPermissions`, `Blocked`, `NotFound`, or another code of the editor. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The endpoint answered with a document where a stream of events was due. */
export class NoStreamError extends Error {
  /** Its start, trimmed. */
  readonly start: string;

  constructor(start: string) {
    super('a document instead of events');
    this.start = start;
  }
}
