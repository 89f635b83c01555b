import ipaddr from 'ipaddr.js';
import { getToolFacts } from '../../base/tools/toolFacts.ts';

/** A compiled host pattern (spec decision 7): `api.example.com`, `*.example.com`, `*`, each with an optional port. */
export interface HostPattern {
  /** Lower case. `*` is any public host; a leading `*.` is any subdomain. */
  readonly host: string;
  /** Undefined: 80 and 443 only. */
  readonly port: number | undefined;
  /** For a deny or ask, `*` includes private hosts, and a missing port means every port. */
  readonly tightens?: true;
}

/** Parses a host pattern. Undefined: not a valid one; a scheme or a path isn't allowed. */
export function parseHostPattern(pattern: string): HostPattern | undefined {
  const match = /^(\[[^\]]+\]|[^:/\s]+|[0-9a-fA-F:]+)(?::(\d{1,5}))?$/.exec(pattern.trim());
  const written = match?.[1];
  if (written === undefined) return undefined;
  const host = toHost(written);
  if (host === undefined) return undefined;
  return { host, port: match?.[2] === undefined ? undefined : Number(match[2]) };
}

function toHost(written: string): string | undefined {
  if (/^\*+$/.test(written)) return '*';
  const below = written.startsWith('*.');
  const name = canonicalHost(below ? written.slice(2) : written);
  if (name === undefined || name.includes('*')) return undefined;
  return below ? `*.${name}` : name;
}

/** Compares canonical names only, never substrings (CVE-2026-24052). */
export function matchesHost(pattern: HostPattern, host: string, port: number | undefined): boolean {
  const name = canonicalHost(host);
  if (name === undefined) return false;
  const { tightens = false } = pattern;
  // The default port of a program is unknown, so it may be the denied one.
  const anyPort = tightens && (pattern.port === undefined || port === undefined);
  const own = pattern.port === undefined ? isUsualPort(port) : port === pattern.port;
  if (!own && !anyPort) return false;
  if (pattern.host === '*') return tightens || !isPrivateHost(name);
  if (!pattern.host.startsWith('*.')) return name === pattern.host;
  // `.example.com` is not a valid name, so no allow covers it.
  return name.endsWith(pattern.host.slice(1)) && (tightens || !name.startsWith('.'));
}

export function coversHost(wide: HostPattern, narrow: HostPattern): boolean {
  const { tightens = false } = wide;
  const anyPort = wide.port === undefined && (tightens || isUsualPort(narrow.port));
  if (wide.port !== narrow.port && !anyPort) return false;
  if (wide.host === narrow.host) return true;
  if (wide.host === '*') return tightens || !isPrivateHost(narrow.host);
  return wide.host.startsWith('*.') && narrow.host.endsWith(wide.host.slice(1));
}

/** Whether the pattern is all public hosts below a top-level domain, such as `*.md`. */
export function isTopLevel({ host }: HostPattern): boolean {
  return /^\*\.[^.]+$/.test(host) && !isPrivateHost(`host${host.slice(1)}`);
}

/** Whether all rules for this permission have host patterns. */
export function isAboutHosts(permission: string): boolean {
  return permission === 'net.fetch' || getToolFacts(permission)?.about === 'host';
}

/**
 * The canonical form: lower case, no trailing dot, numeric addresses in one spelling. Undefined:
 * not a host.
 */
export function canonicalHost(written: string): string | undefined {
  const text = written.trim().toLowerCase().replace(/\.$/, '');
  // Checkers and resolvers disagree about hosts with control characters, white space or percent
  // signs.
  if (text === '' || /[\p{Cc}\p{Cf}\s%@/\\?#]/u.test(text)) return undefined;
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (/^[0-9a-fx.:]+$/.test(bare) && ipaddr.isValid(bare)) return ipaddr.process(bare).toString();
  return toAscii(text);
}

/** Public addresses that cloud providers use for internal services. */
const METADATA: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Whether the host is a loopback, private, link-local or other non-unicast address, or a name for
 * one.
 */
export function isPrivateHost(host: string): boolean {
  const name = canonicalHost(host);
  if (name === undefined) return true;
  if (ipaddr.isValid(name)) return isPrivateAddress(ipaddr.process(name));
  return (
    name === 'localhost' ||
    !name.includes('.') ||
    /\.(localhost|local|internal|intranet|lan|home|corp|localdomain[46]?|home\.arpa)$/.test(name)
  );
}

function isPrivateAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || METADATA.has(address.toString())) return true;
  if (!(address instanceof ipaddr.IPv6)) return false;
  const { parts } = address;
  // An IPv4 address embedded in an IPv6 address: `::a.b.c.d`, and ISATAP's `…:5efe:a.b.c.d`.
  const compatible = parts.slice(0, 6).every((part) => part === 0);
  return compatible || (parts[5] === 0x5efe && ((parts[4] ?? 0) & ~0x200) === 0);
}

function isUsualPort(port: number | undefined): boolean {
  return port === 80 || port === 443;
}

function toAscii(name: string): string | undefined {
  try {
    return new URL(`http://${name}/`).hostname.replace(/\.$/, '');
  } catch {
    return undefined;
  }
}
