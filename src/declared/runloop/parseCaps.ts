import { parse } from 'smol-toml';
import { getMessage } from '../../base/faults.ts';
import { isRecord } from '../../base/json.ts';
import { getField, type JsonObject } from '../manifest/parsePointer.ts';

/** `true` grants everything, a list only its elements. */
export type Grant = true | readonly string[];

/** One `policy.caps` file (spec D-37). A family that is absent is not granted by a bundle, and not changed by an override. */
export interface CapsLayer {
  readonly fsRead?: readonly string[];
  readonly fsWrite?: readonly string[];
  readonly net?: { readonly hosts: readonly HostGrant[]; readonly allowHttp: boolean };
  readonly time?: Grant;
  readonly kbRead?: Grant;
  readonly kbWrite?: Grant;
  readonly secrets?: Grant;
  readonly model?: Grant;
  readonly exec?: Grant;
}

/** `host` or `*.host`; without a port the default port of https, and of http where it is allowed. */
export interface HostGrant {
  readonly host: string;
  readonly port: number | undefined;
}

export type ParsedCaps =
  | { readonly ok: true; readonly caps: CapsLayer }
  | { readonly ok: false; readonly error: string };

/** The bundle's grants first, then overrides that only narrow (spec D-38). */
export type Caps = readonly [CapsLayer, ...CapsLayer[]];

export type CapReason =
  | 'cap_missing'
  | 'no_hosts'
  | 'http_not_permitted'
  | 'host_not_permitted'
  | 'namespace_not_permitted'
  | 'secret_not_permitted'
  | 'secret_unknown'
  | 'caps_empty';

/** Parses `policy.caps`: TOML with a table `[capabilities]`, with the error texts of spec D-39. */
export function parseCaps(text: string): ParsedCaps {
  let root: unknown;
  try {
    root = parse(text);
  } catch (error) {
    return { ok: false, error: `policy.caps: ${firstLine(error)}` };
  }
  const table = isRecord(root) ? getField(root, 'capabilities') : undefined;
  if (!isRecord(table)) return { ok: false, error: 'policy manifest missing `capabilities` table' };
  try {
    return { ok: true, caps: toLayer(table) };
  } catch (error) {
    return { ok: false, error: firstLine(error) };
  }
}

export function firstLine(error: unknown): string {
  return getMessage(error).split('\n', 1)[0] ?? '';
}

const FAMILIES: ReadonlySet<string> = new Set([
  'fs',
  'fs_ro',
  'fs_rw',
  'net',
  'time',
  'kb_read',
  'kb_write',
  'secrets',
  'model',
  'exec',
]);

function toLayer(table: JsonObject): CapsLayer {
  for (const key of Object.keys(table)) {
    if (!FAMILIES.has(key)) throw new Error(`invalid capability entry: ${key}`);
  }
  const readOnly = [...paths(table, 'fs'), ...paths(table, 'fs_ro')];
  const writable = paths(table, 'fs_rw');
  const hasFs = ['fs', 'fs_ro', 'fs_rw'].some((key) => Object.hasOwn(table, key));
  const optional = {
    net: readNet(getField(table, 'net')),
    time: readGrant(table, 'time'),
    kbRead: readGrant(table, 'kb_read'),
    kbWrite: readGrant(table, 'kb_write'),
    secrets: readGrant(table, 'secrets'),
    model: readGrant(table, 'model'),
    exec: readGrant(table, 'exec'),
    ...(hasFs && { fsRead: [...readOnly, ...writable], fsWrite: writable }),
  };
  return Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
}

function paths(table: JsonObject, key: string): readonly string[] {
  const value = getField(table, key);
  if (value === undefined || value === false) return [];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== ''))
    return value;
  throw new Error(`invalid filesystem capability entry: ${key}`);
}

function readGrant(table: JsonObject, key: string): Grant | undefined {
  const value = getField(table, key);
  if (value === undefined || value === true) return value;
  if (value === false) return [];
  if (typeof value === 'string' && value !== '') return [value];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new Error(`invalid capability entry: ${key}`);
}

function readNet(value: unknown): CapsLayer['net'] | undefined {
  if (value === undefined) return undefined;
  if (value === false) return { hosts: [], allowHttp: false };
  const hosts = isRecord(value) ? (getField(value, 'hosts') ?? []) : value;
  const allowHttp = isRecord(value) && getField(value, 'allow_http') === true;
  if (!Array.isArray(hosts)) throw new Error('invalid network host entry: net');
  return { hosts: hosts.map(hostGrant), allowHttp };
}

function hostGrant(entry: unknown): HostGrant {
  const grant = typeof entry === 'string' ? parseHost(entry) : undefined;
  if (grant === undefined) throw new Error(`invalid network host entry: ${String(entry)}`);
  return grant;
}

/** `host`, `*.host`, `[::1]`, each with an optional `:port`; undefined when it is none of these. */
function parseHost(entry: string): HostGrant | undefined {
  const match =
    /^((?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i.exec(entry);
  const [, host = '', digits] = match ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (host === '' || host.includes('..') || port === 0 || (port ?? 0) > 65_535) return undefined;
  return { host: host.toLowerCase(), port };
}

/** The families of capabilities, as completions. */
export const CAPABILITY_FAMILIES: readonly string[] = [
  'net:',
  'exec',
  'secrets:',
  'kb_read:',
  'kb_write:',
  'fs:',
  'time',
  'model',
];

/** A capability that a tool needs. */
export type CapNeed =
  | { readonly family: 'net'; readonly host: string; readonly port: number; readonly http: boolean }
  | { readonly family: 'secrets' | 'kb_read' | 'kb_write'; readonly detail: string | undefined }
  | { readonly family: 'time' | 'model' | 'exec'; readonly detail: string | undefined }
  | { readonly family: 'fs'; readonly detail: string | undefined; readonly write: boolean }
  | { readonly family: 'unknown'; readonly detail: string };

/** A declared capability `family[:detail]` (spec DA-13); an unknown family can never be granted. */
export function parseNeed(capability: string): CapNeed {
  const [, family = '', text] = /^([^:]*)(?::([\s\S]*))?$/.exec(capability) ?? [];
  const detail = text === undefined || text === '' ? undefined : text;
  switch (family) {
    case 'net': {
      const host = parseHost(detail ?? '');
      if (host === undefined) return { family: 'unknown', detail: capability };
      return { family: 'net', host: host.host, port: host.port ?? 443, http: false };
    }
    case 'fs':
    case 'fs_ro':
    case 'fs_rw':
      return { family: 'fs', detail, write: family === 'fs_rw' };
    case 'secrets':
    case 'kb_read':
    case 'kb_write':
    case 'time':
    case 'model':
    case 'exec':
      return { family, detail };
    default:
      return { family: 'unknown', detail: capability };
  }
}

/** Why the need is denied, or undefined when every layer grants it (spec D-22, D-39). */
export function denyReason([bundle, ...overrides]: Caps, need: CapNeed): CapReason | undefined {
  if (Object.keys(bundle).length === 0) return 'caps_empty';
  const reason = layerReason(bundle, need);
  if (reason) return reason;
  // Families that an override doesn't mention are unchanged.
  return overrides
    .filter((layer) => mentions(layer, need))
    .map((layer) => layerReason(layer, need))
    .find((each) => each !== undefined);
}

const FIELDS = { secrets: 'secrets', kb_read: 'kbRead', kb_write: 'kbWrite' } as const;

function mentions(layer: CapsLayer, need: CapNeed): boolean {
  switch (need.family) {
    case 'fs':
      return layer.fsRead !== undefined;
    case 'secrets':
    case 'kb_read':
    case 'kb_write':
      return layer[FIELDS[need.family]] !== undefined;
    case 'unknown':
      return true;
    default:
      return layer[need.family] !== undefined;
  }
}

function layerReason(layer: CapsLayer, need: CapNeed): CapReason | undefined {
  switch (need.family) {
    case 'net':
      return netReason(layer, need);
    case 'fs':
      return pathReason(need.write ? layer.fsWrite : layer.fsRead, need.detail);
    case 'secrets':
      return listReason(layer.secrets, need.detail, 'secret_not_permitted');
    case 'kb_read':
    case 'kb_write':
      return listReason(layer[FIELDS[need.family]], need.detail, 'namespace_not_permitted');
    case 'time':
    case 'model':
    case 'exec':
      return listReason(layer[need.family], need.detail, 'cap_missing');
    case 'unknown':
      return 'cap_missing';
  }
}

function listReason(
  grant: Grant | undefined,
  detail: string | undefined,
  otherwise: CapReason,
): CapReason | undefined {
  if (grant === undefined) return 'cap_missing';
  if (grant === true) return undefined;
  if (grant.length === 0) return otherwise;
  return detail === undefined || grant.includes(detail) ? undefined : otherwise;
}

function netReason(
  { net }: CapsLayer,
  need: { readonly host: string; readonly port: number; readonly http: boolean },
): CapReason | undefined {
  if (net === undefined) return 'cap_missing';
  if (net.hosts.length === 0) return 'no_hosts';
  const named = net.hosts.filter(({ host }) => hostMatches(host, need.host));
  if (named.length === 0) return 'host_not_permitted';
  if (need.http && !net.allowHttp) return 'http_not_permitted';
  const usual = need.http ? 80 : 443;
  return named.some(({ port }) => (port ?? usual) === need.port) ? undefined : 'host_not_permitted';
}

function hostMatches(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : pattern === host;
}

function pathReason(
  grants: readonly string[] | undefined,
  detail: string | undefined,
): CapReason | undefined {
  if (grants === undefined) return 'cap_missing';
  if (grants.length === 0) return 'namespace_not_permitted';
  if (detail === undefined) return undefined;
  const inside = grants.some((grant) => {
    const base = grant.replace(/\/(?:\*\*)?$/, '');
    return detail === base || detail.startsWith(`${base}/`);
  });
  return inside && !/(?:^|\/)\.\.(?:\/|$)/.test(detail) ? undefined : 'namespace_not_permitted';
}
