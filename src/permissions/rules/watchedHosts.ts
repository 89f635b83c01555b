import { findLockedTools } from '../../base/tools/toolFacts.ts';
import { type CompiledRule, namesPermission } from './compiledRule.ts';

/** The permissions whose host rules also apply to the shell. */
export const HOST_ASKERS: readonly string[] = [
  'net.fetch',
  ...findLockedTools(({ about }) => about === 'host'),
];

/** The hosts that ask and deny rules name. Rules for every host aren't included. */
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
