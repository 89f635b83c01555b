import { getToolFacts } from '../../../base/tools/toolFacts.ts';
import type { MatchKind } from '../../../permissions/rules/compiledRule.ts';

/** What the patterns of a permission are matched against. Undefined: it depends on the call. */
export function getKind(permission: string): MatchKind | undefined {
  if (/^fs\.(?:read|write|\*)$/.test(permission)) return 'path';
  if (/^net\.(?:fetch|\*)$/.test(permission)) return 'host';
  if (/^shell\.(?:run|\*)$/.test(permission)) return 'command';
  return getToolFacts(permission)?.about;
}

/** The capability that a host tool needs; undefined if it needs none or isn't known. */
export function getCapability(permission: string): string | undefined {
  const facts = getToolFacts(permission);
  if (facts === undefined) return undefined;
  if (facts.access !== undefined) return facts.access;
  if (facts.about === 'command') return 'shell.run';
  return facts.about === 'host' ? 'net.fetch' : facts.capability;
}
