import type { InitializeResponse } from '@agentclientprotocol/sdk';
import { type HostExtensions, toExtensions } from '../../acp/gatehouse/capabilities.ts';

/** Gatehouse speaks this version of ACP only, and answers with it whatever version the client asks for. */
const PROTOCOL_VERSION = 1;

/** What the host can do. Nothing is listed that does not work. */
export function toInitializeResponse(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'gatehouse', title: 'Gatehouse', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { embeddedContext: true, image: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
      ...toExtensions<HostExtensions>({
        explain: true,
        accept: true,
        pending: true,
        tools: true,
        history: true,
        queue: true,
      }),
    },
    authMethods: [],
  };
}
