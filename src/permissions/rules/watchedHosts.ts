import { findLockedTools } from '../../base/tools/toolFacts.ts';
import { type CompiledRule, namesPermission } from './compiledRule.ts';

/** Tools whose rules about hosts bind the shell. */
export const HOST_ASKERS: readonly string[] = [
  'net.fetch',
  ...findLockedTools(({ about }) => about === 'host'),
];

/** The hosts that rules ask about or deny by name; a rule about every host is not among them. */
export interface WatchedHosts {
  readonly names: ReadonlySet<string>;
  /** `.example.com` for `*.example.com`. */
  readonly endings: readonly string[];
}

export function watchHosts(rules: readonly CompiledRule[]): WatchedHosts {
  const names = new Set<string>();
  const endings: string[] = [];
  for (const compiled of rules) {
    if (compiled.rule.action === 'allow') continue;
    if (!HOST_ASKERS.some((tool) => namesPermission(compiled, tool, 'net.fetch'))) continue;
    const host = compiled.host()?.host;
    if (host === undefined || host === '*') continue;
    if (host.startsWith('*.')) endings.push(host.slice(1));
    else names.add(host);
  }
  return { names, endings };
}
