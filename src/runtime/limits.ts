import { KB, MB } from '../base/units.ts';
import type { Limits } from './runtime.ts';

/** What ships (C-30, C-31, C-48, CA-39). Bytes, milliseconds, counts. */
export const DEFAULT_LIMITS: Limits = {
  readBytes: 200 * KB,
  globEntries: 1000,
  grepMatches: 200,
  bashBytes: 200 * KB,
  webFetchBytes: 200 * KB,
  bashTimeoutMs: 120_000,
  toolTimeoutMs: 60_000,
  webSearchCalls: 25,
  webSearchTimeoutMs: 15_000,
  webFetchTimeoutMs: 25_000,
  turnSteps: 100,
  modelFirstChunkMs: 120_000,
  modelChunkMs: 60_000,
  modelRetries: 4,
};

/** Text files above this are read by byte ranges only: strings of theirs would not fit in memory. */
export const TEXT_BYTES = 256 * MB;
