/**
 * Requests of one run that are looked at or answered: each keeps memory and, once it is allowed, a connection of the
 * host. A client can send any number at once, and leave before they are answered.
 */
export interface OpenRequests {
  /** Undefined: there are too many. Otherwise what to call, once or more, when the request is over. */
  begin(): (() => void) | undefined;
}

/** As many as clients may be connected. */
export const MOST_OPEN = 256;

export function createOpenRequests(): OpenRequests {
  const open = new Set<object>();
  return {
    begin() {
      if (open.size >= MOST_OPEN) return undefined;
      const request = {};
      open.add(request);
      return () => void open.delete(request);
    },
  };
}
