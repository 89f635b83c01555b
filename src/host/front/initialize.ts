import type { InitializeResponse } from '@agentclientprotocol/sdk';
import { type HostExtensions, toExtensions } from '../../acp/gatehouse/capabilities.ts';

/** The only supported version of ACP; the answer to every client, whichever version it requests. */
const PROTOCOL_VERSION = 1;

/** The host's capabilities. Only list what works. */
export function toInitializeResponse(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'gatehouse', title: 'Gatehouse', version },
    agentCapabilities: {
      loadSession: true,
      mcpCapabilities: { http: true, sse: true },
      promptCapabilities: { embeddedContext: true, image: true },
      sessionCapabilities: {
        ...{ list: {}, resume: {}, close: {}, delete: {} },
        additionalDirectories: {},
      },
      ...toExtensions<HostExtensions>({
        explain: true,
        rules: true,
        decisions: true,
        accept: true,
        pending: true,
        tools: true,
        history: true,
        sessions: true,
        queue: true,
        review: true,
        continue: true,
        models: true,
      }),
    },
    authMethods: [],
  };
}
