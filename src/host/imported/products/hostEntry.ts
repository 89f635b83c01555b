import { parseHostPattern } from '../../../permissions/patterns/hostPattern.ts';
import type { Action } from '../../../permissions/rules/rule.ts';
import { type Entry, leaveOut, REASONS } from './entry.ts';

/** A host, an address or a pattern of addresses: `https://*.example.com/api/*`. */
export interface WrittenHost {
  readonly written: string;
  readonly action: Action;
  readonly url: string;
  /** The scheme of a pattern without one; undefined: any. */
  readonly scheme?: 'https';
}

const PARTS =
  /^(?:(?<scheme>[a-z][a-z0-9+.-]*|\*):\/\/)?(?<host>\[[^\]]*\]|[^/:?#]*)(?::(?<port>\d+))?(?<rest>.*)$/is;

/** Converts a pattern of addresses. An allow never matches more than it, a deny or ask never less. */
export function toHostEntry({ written, action, url, scheme: usual }: WrittenHost): Entry {
  const { host = '', port, rest = '', ...parts } = PARTS.exec(url.trim())?.groups ?? {};
  const scheme = (parts['scheme'] ?? usual ?? '*').toLowerCase();
  const whole = /^(?:\/?\*{1,2}|)$/.test(rest);
  const everything = /^\*+$/.test(host);
  if (action !== 'allow') return toTightening({ written, action, host, whole, everything });
  const drop = (reason: string) => leaveOut(written, action, reason);
  if (everything) return drop(REASONS.allHosts);
  if (!whole) return drop("A rule is about a host, and can't allow only some of its pages.");
  const pattern = `${host}${toPort(scheme, port)}`;
  const known = /^(?:https?|\*)$/.test(scheme) && parseHostPattern(pattern) !== undefined;
  if (!known) return drop("It isn't the name of a host.");
  return { written, action, targets: [{ permission: 'web_fetch', pattern }] };
}

/** Without a port, an allow covers 80 and 443. */
function toPort(scheme: string, port: string | undefined): string {
  if (port !== undefined) return `:${port}`;
  if (scheme === 'https') return ':443';
  return scheme === 'http' ? ':80' : '';
}

interface Tightening extends Pick<WrittenHost, 'written'> {
  readonly action: Exclude<Action, 'allow'>;
  readonly host: string;
  /** The pattern is about all pages of the host. */
  readonly whole: boolean;
  readonly everything: boolean;
}

function toTightening({ written, action, host, whole, everything }: Tightening): Entry {
  const permission = 'net.fetch';
  const all = [{ permission, pattern: '*' }];
  if (everything && action === 'ask') return leaveOut(written, action, REASONS.asksAnyway, all);
  if (everything) return { written, action, targets: all };
  if (parseHostPattern(host) === undefined) {
    return leaveOut(written, action, "It isn't the name of a host.", all);
  }
  // Whether a wildcard covers the domain itself differs, so it is named too.
  const hosts = host.startsWith('*.') ? [host, host.slice(2)] : [host];
  const reason = 'A rule is about a host, so it covers all pages of it.';
  const targets = hosts.map((pattern) => ({ permission, pattern }));
  return { written, action, targets, ...(!whole && { reason }) };
}
