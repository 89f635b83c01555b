import { goQuote } from '../manifest/parseGo.ts';
import { secretVariable } from '../manifest/parseIds.ts';
import { getField, type JsonObject } from '../manifest/parsePointer.ts';
import type { RunloopEntry } from './entry.ts';
import type { EntryScope } from './entryScope.ts';
import { type CapNeed, denyReason, parseNeed } from './parseCaps.ts';
import { SECRET_PLACEHOLDER } from './parseTransport.ts';

/** The capability that a transport needs, declared or not (spec DA-14). */
function impliedNeed(entry: Pick<RunloopEntry, 'transport'>): CapNeed {
  const { transport } = entry;
  if (transport.kind === 'exec') return { family: 'exec', detail: transport.command };
  const { protocol, hostname, port } = new URL(transport.url.replaceAll(/\{[^{}]*\}/g, 'x'));
  const http = protocol === 'http:';
  return {
    family: 'net',
    host: hostname,
    port: port === '' ? (http ? 80 : 443) : Number(port),
    http,
  };
}

/** Everything the tool needs, labeled as the manifest or the rule names it. */
export function findNeeds(
  entry: RunloopEntry,
): readonly { readonly label: string; readonly need: CapNeed; readonly at?: string }[] {
  const implied = impliedNeed(entry);
  const label = implied.family === 'net' ? `net:${implied.host}` : 'exec';
  return [
    ...entry.capabilities.map((capability, index) => ({
      label: capability,
      need: parseNeed(capability),
      at: `/capabilities/${index}`,
    })),
    { label, need: implied, at: '/transport' },
    ...entry.secrets.map((id, index) => ({
      label: `secrets:${id}`,
      need: { family: 'secrets', detail: id } as const,
      at: `/secrets/${index}`,
    })),
  ];
}

/** Warns about grants that `policy.caps` lacks and about missing secrets. */
export function validateNeeds(scope: EntryScope, entry: RunloopEntry, tool: JsonObject): void {
  const { diagnostics, pointer, index, surroundings, bundle } = scope;
  const caps = bundle.caps;
  for (const { label, need, at } of caps === undefined ? [] : findNeeds(entry)) {
    const reason = caps && denyReason([caps], need);
    if (reason === undefined) continue;
    const cap = need.family === 'unknown' ? label : need.family;
    const text = `capability denied: cap=${cap}, op=expose, detail=${label}, reason=${reason}`;
    diagnostics.warning(`${pointer}${at}`, `tool #${index}: ${text}: the tool is not offered`, {
      blocks: index,
    });
  }
  const headers = entry.transport.kind === 'http' ? Object.values(entry.transport.headers) : [];
  const usedIds = new Set(
    headers.flatMap((text) => [...text.matchAll(SECRET_PLACEHOLDER)].map(([, id]) => id)),
  );
  for (const [at, id] of entry.secrets.entries()) {
    const secretPointer = `${pointer}/secrets/${at}`;
    if (entry.transport.kind === 'http' && !usedIds.has(id)) {
      diagnostics.warning(
        secretPointer,
        `tool #${index}: secret ${goQuote(id)} has no {{secret:…}} in a header: it is not sent`,
      );
    }
    if (surroundings.variable(id) || surroundings.variable(secretVariable(id))) continue;
    const message = `tool #${index}: secret ${goQuote(id)} is not set (${secretVariable(id)}): calls fail without it`;
    diagnostics.warning(secretPointer, message);
  }
  validateProgram(scope, entry);
  if (getField(tool, 'result_schema') === true) {
    diagnostics.information(
      `${pointer}/result_schema`,
      `tool #${index}: every result passes this schema`,
    );
  }
}

function validateProgram(
  { diagnostics, pointer, index, surroundings }: EntryScope,
  entry: RunloopEntry,
): void {
  if (entry.transport.kind !== 'exec') return;
  const state = surroundings.program(entry.transport.command);
  if (state === 'there') return;
  const message = `tool #${index}: program ${goQuote(entry.transport.command)} is ${state}: the tool is not offered`;
  diagnostics.warning(`${pointer}/transport/command`, message, { blocks: index });
}
