import path from 'node:path';
import { isRecord } from '../../base/json.ts';
import { goQuote } from '../manifest/parseGo.ts';
import { getField, getFieldPointer, pointerTo, typeName } from '../manifest/parsePointer.ts';
import type { RunloopTransport } from './entry.ts';
import { type EntryScope, requiredText } from './entryScope.ts';

/** `{name}` in a URL: a value of the validated input (spec DA-5). */
export const URL_TEMPLATE = /\{([^{}]*)\}/g;
/** `{{secret:ID}}` in a header: the only placeholder there is (spec DA-6). */
export const SECRET_PLACEHOLDER = /\{\{secret:([^{}]*)\}\}/g;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Methods that open a tunnel or echo the request's headers. */
const FORBIDDEN_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK']);
/** Headers that the client sets itself; another value would allow request smuggling. */
const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'expect', 'te'],
  ...['trailer', 'keep-alive'],
]);

/** `transport` (spec D-8 … D-13), strict: absolute command, absolute http or https URL. */
export function parseTransport(
  scope: EntryScope,
  secrets: readonly string[],
): RunloopTransport | undefined {
  const { tool, refuse } = scope;
  const value = getField(tool, 'transport');
  const fieldPointer = getFieldPointer(tool, scope.pointer, 'transport');
  if (value === undefined) {
    refuse(fieldPointer, 'invalid JSON: missing field `transport`');
    return undefined;
  }
  if (!isRecord(value)) {
    refuse(fieldPointer, `invalid JSON: invalid type: ${typeName(value)}, expected an object`);
    return undefined;
  }
  const inner = { ...scope, tool: value, pointer: fieldPointer };
  const kind = getField(value, 'kind');
  if (kind === 'exec') return parseExec(inner);
  if (kind === 'http') return parseHttp(inner, secrets);
  const message =
    kind === undefined
      ? 'invalid JSON: missing field `kind`'
      : `invalid JSON: unknown variant \`${String(kind)}\`, expected \`exec\` or \`http\``;
  refuse(getFieldPointer(value, fieldPointer, 'kind'), message);
  return undefined;
}

const EXEC_FIELDS = new Set(['kind', 'command', 'args']);
const HTTP_FIELDS = new Set(['kind', 'method', 'url', 'headers']);

function parseExec(scope: EntryScope): RunloopTransport | undefined {
  const { tool, pointer, index, refuse } = scope;
  lintFields(scope, EXEC_FIELDS);
  const args = parseArgs(scope);
  const command = requiredText(scope, 'command', 'exec transport requires a command');
  if (command === undefined) return undefined;
  const fieldPointer = getFieldPointer(tool, pointer, 'command');
  if (!path.isAbsolute(command)) {
    refuse(
      fieldPointer,
      `tool #${index}: exec transport command must be an absolute path (got ${goQuote(command)})`,
    );
  } else if (command.includes('\0') || path.normalize(command) !== command) {
    refuse(
      fieldPointer,
      `tool #${index}: exec transport command must be a normalized path (got ${goQuote(command)})`,
    );
  }
  return { kind: 'exec', command, args };
}

function parseArgs({ tool, pointer, refuse }: EntryScope): readonly string[] {
  const value = getField(tool, 'args') ?? [];
  const fieldPointer = pointerTo(pointer, 'args');
  if (!Array.isArray(value)) {
    refuse(fieldPointer, `invalid JSON: invalid type: ${typeName(value)}, expected an array`);
    return [];
  }
  const wrong = value.findIndex((each) => typeof each !== 'string' || each.includes('\0'));
  if (wrong < 0) return value;
  refuse(pointerTo(fieldPointer, wrong), 'invalid JSON: each of args must be a string without NUL');
  return [];
}

function parseHttp(scope: EntryScope, secrets: readonly string[]): RunloopTransport | undefined {
  const { tool, pointer, index, refuse } = scope;
  lintFields(scope, HTTP_FIELDS);
  const method = requiredText(scope, 'method', 'http transport requires a method');
  const url = requiredText(scope, 'url', 'http transport requires a url');
  const headers = parseHeaders(scope, secrets);
  if (
    method !== undefined &&
    (!TOKEN.test(method) || FORBIDDEN_METHODS.has(method.toUpperCase()))
  ) {
    refuse(
      `${pointer}/method`,
      `tool #${index}: http transport method ${goQuote(method)} is not allowed`,
    );
  }
  const problem = url === undefined ? undefined : validateUrl(url);
  if (problem && url !== undefined) {
    refuse(
      getFieldPointer(tool, pointer, 'url'),
      `tool #${index}: http transport url ${problem} (got ${goQuote(url)})`,
    );
  }
  // Other parsers read the URL, so one that is refused goes no further.
  if (method === undefined || url === undefined || problem) return undefined;
  return { kind: 'http', method: method.toUpperCase(), url, headers };
}

/** Why a URL is invalid: it must be absolute, http or https, without templates in scheme and host. */
function validateUrl(url: string): string | undefined {
  const [, scheme = '', authority = '', rest = ''] =
    /^([a-z]+):\/\/([^/?#]*)([\s\S]*)$/i.exec(url) ?? [];
  if (scheme === '') return 'must be an absolute URL';
  if (!/^https?$/i.test(scheme)) return 'must be http or https';
  if (/[{}]/.test(authority)) return 'must not have a template in its host';
  // Parsers disagree on whether `\` and control characters belong to the host.
  if (/[\s\\\p{Cc}]/u.test(url)) return 'must not hold white space or control characters';
  if (authority.includes('@')) return 'must not hold a user or password';
  if (/[{}]/.test(rest.replaceAll(URL_TEMPLATE, ''))) return 'has an unclosed template';
  const names = [...rest.matchAll(URL_TEMPLATE)].map(([, name = '']) => name);
  if (names.some((name) => !/^[\p{L}\p{N}_.-]+$/u.test(name))) return 'has a bad template name';
  try {
    const { hostname } = new URL(url.replaceAll(URL_TEMPLATE, 'x'));
    return hostname === '' ? 'must have a host' : undefined;
  } catch {
    return 'must be an absolute URL';
  }
}

function parseHeaders(
  scope: EntryScope,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const { tool, pointer, index, refuse } = scope;
  const value = getField(tool, 'headers') ?? {};
  const fieldPointer = pointerTo(pointer, 'headers');
  if (!isRecord(value)) {
    refuse(fieldPointer, `invalid JSON: invalid type: ${typeName(value)}, expected an object`);
    return {};
  }
  const written = Object.entries(value).filter(([, text]) => text !== null);
  for (const [name, text] of written) {
    const problem = validateHeader(name, text, secrets);
    if (problem)
      refuse(pointerTo(fieldPointer, name), `tool #${index}: header ${goQuote(name)}: ${problem}`);
  }
  return Object.fromEntries(
    written.filter((each): each is [string, string] => typeof each[1] === 'string'),
  );
}

function validateHeader(
  name: string,
  text: unknown,
  secrets: readonly string[],
): string | undefined {
  if (!TOKEN.test(name)) return 'is not a header name';
  if (FORBIDDEN_HEADERS.has(name.toLowerCase())) return 'is set by the client';
  if (typeof text !== 'string') return 'must be a string';
  if (/[\p{Cc}]/u.test(text)) return 'must not hold control characters';
  for (const [, id = ''] of text.matchAll(SECRET_PLACEHOLDER)) {
    if (!secrets.includes(id)) return `secret ${goQuote(id)} is not listed in secrets`;
  }
  const [other] = /\{\{[\s\S]*/.exec(text.replaceAll(SECRET_PLACEHOLDER, '')) ?? [];
  if (other === undefined) return undefined;
  return `unknown placeholder ${goQuote(other)}; write {{secret:ID}} with an ID from secrets`;
}

function lintFields(
  { diagnostics, tool, pointer, index }: EntryScope,
  known: ReadonlySet<string>,
): void {
  for (const key of Object.keys(tool)) {
    if (known.has(key)) continue;
    const message = `tool #${index}: unknown field ${goQuote(key)}`;
    diagnostics.warning(pointerTo(pointer, key), message, { atKey: true });
  }
}
