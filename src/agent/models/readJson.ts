import { APICallError } from 'ai';
import { boundAnswers } from '../endpoint/boundedFetch.ts';
import { stayOnHost } from '../endpoint/modelFetch.ts';
import type { ModelAccess } from './provider.ts';

/** How long a provider may take to list its models, in milliseconds. */
const LIST_MS = 10_000;

export interface JsonRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, by POST. */
  readonly body?: object;
  readonly ms?: number;
}

/**
 * Reads a JSON document of a provider, with the bounds that answers of models have. Rejects with an
 * `APICallError`, which `toFault` can explain.
 */
export async function readJson(
  { fetch = globalThis.fetch, apiKey }: Pick<ModelAccess, 'fetch' | 'apiKey'>,
  url: string,
  { headers = bearer(apiKey), body, ms = LIST_MS }: JsonRequest = {},
): Promise<unknown> {
  const failed = { url, requestBodyValues: body ?? {} };
  let response: Response;
  let text: string;
  try {
    response = await boundAnswers(stayOnHost(fetch), 'lines')(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ms),
    });
    text = await response.text();
  } catch (cause) {
    throw new APICallError({ ...failed, message: 'Could not be read.', cause });
  }
  const { status: statusCode } = response;
  const responseHeaders = Object.fromEntries(response.headers);
  const answer = { ...failed, statusCode, responseHeaders, responseBody: text };
  if (!response.ok) throw new APICallError({ ...answer, message: toMessage(text) });
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = 'The address answered with something that is not JSON.';
    throw new APICallError({ ...answer, message, cause, statusCode: 400 });
  }
}

export function bearer(apiKey: string | undefined): Readonly<Record<string, string>> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}

function toMessage(text: string): string {
  const found = /"(?:message|error)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return found ?? (text.slice(0, 200) || 'No reason was given.');
}
