/** A result that can fail. The error is a message to act on, not an exception. */
export type Outcome<Data> =
  | {
      readonly ok: true;
      readonly data: Data;
      /** What the author of a tool should change, though its result stands (spec decision 43). */
      readonly lint?: string;
    }
  | { readonly ok: false; readonly error: string };

export function success<Data>(data: Data): Outcome<Data> {
  return { ok: true, data };
}

export function failure<Data = never>(error: string): Outcome<Data> {
  return { ok: false, error };
}
