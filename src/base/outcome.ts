/** A failure is an answer someone can act on, not an exception: it says what to do differently. */
export type Outcome<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly error: string };

export function success<Data>(data: Data): Outcome<Data> {
  return { ok: true, data };
}

export function failure<Data = never>(error: string): Outcome<Data> {
  return { ok: false, error };
}
