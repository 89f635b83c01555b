import { toVisible } from '../../base/text/visibleText.ts';

/** Most characters of a link's message: a person has to read it before sending. */
const MOST = 10_000;

/** What a `vscode://gatehouse.gatehouse/open?prompt=…&session=…` link asks for. */
export interface OpenRequest {
  readonly prompt: string;
  readonly session?: string;
}

/**
 * Parses a link, which anyone may have written: its message is put into the composer and never sent,
 * with hidden characters made visible.
 */
export function parseOpenUri(path: string, query: string): OpenRequest | undefined {
  if (path !== '/open') return undefined;
  const fields = new URLSearchParams(query);
  const session = fields.get('session');
  return {
    prompt: toVisible((fields.get('prompt') ?? '').slice(0, MOST)).text,
    ...(session && { session }),
  };
}
