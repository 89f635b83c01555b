import type { StopReason } from '@agentclientprotocol/sdk';
import type { FinishReason } from '../base/stream/chunk.ts';

/** The ACP stop reason for why the loop stopped (spec CS-67). A fault fails the prompt instead. */
export function toStopReason(reason: Exclude<FinishReason, 'error'>): StopReason {
  switch (reason) {
    case 'stop':
    case 'other':
      return 'end_turn';
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    case 'max-steps':
      return 'max_turn_requests';
  }
}
