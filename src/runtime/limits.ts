import { HOST_SETTINGS, type HostSettingKey } from '../base/settings.ts';
import { MB } from '../base/units.ts';

/**
 * Bytes, milliseconds or counts, as each name indicates (spec C-30, spec C-31, spec C-48, spec
 * CA-39).
 */
export type Limits = {
  readonly [Key in HostSettingKey as Key extends `limits.${infer Name}` ? Name : never]: number;
};

/** The default limits. */
export const DEFAULT_LIMITS: Limits = toLimits((key) => HOST_SETTINGS[key].default);

/** Builds the limits from the settings' values. */
export function toLimits(read: (key: LimitKey) => number): Limits {
  return {
    readBytes: read('limits.readBytes'),
    globEntries: read('limits.globEntries'),
    grepMatches: read('limits.grepMatches'),
    bashBytes: read('limits.bashBytes'),
    webFetchBytes: read('limits.webFetchBytes'),
    bashTimeoutMs: read('limits.bashTimeoutMs'),
    commandAnswerMs: read('limits.commandAnswerMs'),
    toolTimeoutMs: read('limits.toolTimeoutMs'),
    webSearchCalls: read('limits.webSearchCalls'),
    webSearchTimeoutMs: read('limits.webSearchTimeoutMs'),
    webFetchTimeoutMs: read('limits.webFetchTimeoutMs'),
    lookMs: read('limits.lookMs'),
    schemaMs: read('limits.schemaMs'),
    watchdogMs: read('limits.watchdogMs'),
    serverStartMs: read('limits.serverStartMs'),
    turnSteps: read('limits.turnSteps'),
    modelFirstChunkMs: read('limits.modelFirstChunkMs'),
    modelChunkMs: read('limits.modelChunkMs'),
    modelRetries: read('limits.modelRetries'),
    sessionCost: read('limits.sessionCost'),
    dayCost: read('limits.dayCost'),
    unpricedTokens: read('limits.unpricedTokens'),
  };
}

export type LimitKey = Extract<HostSettingKey, `limits.${string}`>;

/** Larger text files can only be read by byte range: as strings they would not fit in memory. */
export const TEXT_BYTES = 256 * MB;
