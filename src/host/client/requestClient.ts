import {
  CLIENT_NOTIFICATIONS,
  CLIENT_REQUESTS,
  type ClientNotifications,
  type ClientRequests,
  type ParamsOf,
  type ResultOf,
} from '../../acp/gatehouse/methods.ts';
import { WireError } from '../../acp/gatehouse/parse.ts';
import type { Client } from './client.ts';

/**
 * Sends an extension request to a client that advertised it. Rejects when the answer is invalid. The client is
 * told once the signal aborts, and its answer is not awaited then.
 */
export async function requestClient<Name extends keyof ClientRequests>(
  { peer }: Pick<Client, 'peer'>,
  name: Name,
  params: ParamsOf<ClientRequests, Name>,
  signal?: AbortSignal,
): Promise<ResultOf<ClientRequests, Name>>;
export async function requestClient(
  { peer }: Pick<Client, 'peer'>,
  name: keyof ClientRequests,
  params: object,
  signal?: AbortSignal,
): Promise<unknown> {
  const { method, result } = CLIENT_REQUESTS[name];
  const reply = await peer.request<unknown>(
    method,
    params,
    signal && { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  try {
    return result(reply);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new Error(`The editor's answer to ${method} is invalid. ${error.message}`);
  }
}

export function notifyClient<Name extends keyof ClientNotifications>(
  { peer }: Pick<Client, 'peer'>,
  name: Name,
  params: ParamsOf<ClientNotifications, Name>,
): Promise<void> {
  return peer.notify(CLIENT_NOTIFICATIONS[name].method, params);
}
