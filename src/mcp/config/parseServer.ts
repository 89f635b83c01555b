import { createHash } from 'node:crypto';
import path from 'node:path';
import { isRecord, toRecord } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import {
  describeServer,
  type HttpServer,
  type McpServer,
  type ServerInput,
  type StdioServer,
} from '../../base/tools/mcpServer.ts';

export interface ParseContext {
  readonly name: string;
  readonly origin: McpServer['origin'];
  readonly file: string;
  /** The folder that `${workspaceFolder}` and relative folders start at. Absolute. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** What the user gave for `${input:id}` of the entry with this hash; undefined if nothing was given. */
  readonly input?: (id: string, hash: string) => string | undefined;
  /** The inputs that the file describes. */
  readonly inputs?: ReadonlyMap<string, ServerInput>;
}

const TIMEOUT_MS = 30_000;
const LONGEST_MS = 10 * 60_000;

/**
 * One entry: the shape of the specification (`type: local | remote`, `command` as a list), of VS Code's
 * `mcp.json` and of `.mcp.json` (`command` and `args`, `url`). Undefined if the entry is turned off.
 */
export function parseServer(
  entry: unknown,
  context: ParseContext,
  expandText: Expand = expandVariables,
): Outcome<McpServer | undefined> {
  if (!isRecord(entry)) return failure('Must be an object.');
  if (entry['enabled'] === false || entry['disabled'] === true) return success(undefined);
  const written = parseHow(entry, context);
  if (!written.ok) return written;
  const { name, origin, file } = context;
  const hash = hashText(
    JSON.stringify([name, written.data, ...findWorkspace(written.data, context)]),
  );
  const missing = new Set<string>();
  const expanded = expand(entry, (text) => expandText(text, context, { hash, missing }));
  if (!expanded.ok) return expanded;
  const given = toRecord(expanded.data);
  const timeoutMs = given['timeout_ms'] ?? given['timeout'] ?? TIMEOUT_MS;
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 1)) {
    return failure('"timeout_ms" must be a positive number.');
  }
  const how = missing.size > 0 ? written : parseHow(given, context);
  if (!how.ok) return how;
  return success({
    ...{ name, origin, file, hash, how: how.data, timeoutMs: Math.min(timeoutMs, LONGEST_MS) },
    shown: describeServer(written.data, entry['cwd']),
    ...(missing.size > 0 && { missing: [...missing].map((id) => findInput(id, context)) }),
  });
}

/**
 * The folder that an entry of the settings names by a variable. In another workspace it would run other files, so it is
 * accepted there again. Entries of files are accepted for their file.
 */
function findWorkspace(how: McpServer['how'], { origin, folder }: ParseContext): readonly string[] {
  return origin === 'settings' && JSON.stringify(how).includes(WORKSPACE) ? [folder] : [];
}

const WORKSPACE = '$' + '{workspaceFolder';

/** What nothing describes may be a secret. */
function findInput(id: string, { inputs }: ParseContext): ServerInput {
  return inputs?.get(id) ?? { id, password: true };
}

function parseHow(given: Fields, context: ParseContext): Outcome<McpServer['how']> {
  return given['url'] === undefined ? parseStdio(given, context) : parseHttp(given);
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function parseStdio(given: Fields, { folder, env }: ParseContext): Outcome<StdioServer> {
  if (!['local', 'stdio', undefined].some((type) => given['type'] === type)) {
    return failure(
      '"type" must be "stdio" or "local" for a command; "http" or "sse" need a "url".',
    );
  }
  const { command, args = [], cwd } = given;
  const words = [...(Array.isArray(command) ? command : [command]), ...toList(args)];
  const [program, ...rest] = words.filter((word) => typeof word === 'string');
  if (program === undefined || program === '' || rest.length + 1 !== words.length) {
    return failure('"command" must name a program, and "args" must be a list of strings.');
  }
  const variables = parseTexts(given['env'] ?? {}, 'env');
  if (!variables.ok) return variables;
  const hosts = toList(given['hosts'] ?? []);
  if (!hosts.every((host) => typeof host === 'string')) {
    return failure('"hosts" must be a list of strings.');
  }
  if (cwd !== undefined && typeof cwd !== 'string') return failure('"cwd" must be a string.');
  const texts = [program, ...rest, cwd ?? '', ...Object.entries(variables.data).flat()];
  if (texts.some((text) => text.includes('\0'))) {
    return failure('"command", "args", "env" and "cwd" must not hold a NUL character.');
  }
  const home = cwd?.replace(/^~(?=[/\\]|$)/, () => getHome(env) || '~');
  return success({
    type: 'stdio',
    argv: [program, ...rest],
    env: variables.data,
    cwd: path.resolve(folder, home ?? '.'),
    hosts: hosts.filter((host) => typeof host === 'string'),
    sandbox: given['sandbox'] !== false,
  });
}

/** Windows has no `HOME`. */
function getHome(env: NodeJS.ProcessEnv): string {
  return env['HOME'] || env['USERPROFILE'] || '';
}

function parseHttp(given: Fields): Outcome<HttpServer> {
  const { type = 'http', url } = given;
  const kind = TYPES.get(type);
  if (kind === undefined) return failure('"type" must be "http", "sse" or "remote" for a URL.');
  // A variable may stand for any part; what it expands to is parsed again.
  const parsed = typeof url === 'string' ? URL.parse(url.replace(/\$\{[^{}]*\}/g, 'x')) : null;
  const isPlain = typeof url === 'string' && !url.includes('${');
  if (
    typeof url !== 'string' ||
    parsed === null ||
    (isPlain && !/^https?:$/.test(parsed.protocol))
  ) {
    return failure('"url" must be an http or https URL.');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return failure('"url" must not contain a user or a password. Use "headers".');
  }
  const headers = parseTexts(given['headers'] ?? {}, 'headers');
  if (!headers.ok) return headers;
  const bad = Object.entries(headers.data).find(
    ([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\r\n\0]/.test(value),
  );
  if (bad !== undefined)
    return failure(`"headers" has an invalid header: ${JSON.stringify(bad[0])}.`);
  const clientId = parseClientId(given['oauth']);
  if (!clientId.ok) return clientId;
  return success({
    ...{ type: kind, url: isPlain ? parsed.href : url, headers: headers.data },
    ...(clientId.data !== undefined && { clientId: clientId.data }),
  });
}

/** `oauth: {clientId}`, for servers at which clients can't register themselves. */
function parseClientId(oauth: unknown): Outcome<string | undefined> {
  if (oauth === undefined || oauth === true) return success(undefined);
  const given = isRecord(oauth) ? (oauth['clientId'] ?? oauth['client_id']) : null;
  if (given === undefined) return success(undefined);
  return typeof given === 'string' && given !== ''
    ? success(given)
    : failure('"oauth" must be an object whose "clientId" is a string.');
}

const TYPES: ReadonlyMap<unknown, HttpServer['type']> = new Map([
  ['http', 'http'],
  ['remote', 'http'],
  ['streamable-http', 'http'],
  ['sse', 'sse'],
]);

type Fields = Readonly<Record<string, unknown>>;

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [undefined];
}

/** Values may be numbers, as in VS Code; null leaves a variable out. */
function parseTexts(value: unknown, field: string): Outcome<Readonly<Record<string, string>>> {
  if (!isRecord(value)) return failure(`"${field}" must be an object.`);
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  const wrong = entries.find(([, each]) => typeof each !== 'string' && typeof each !== 'number');
  if (wrong !== undefined) return failure(`"${field}.${wrong[0]}" must be a string.`);
  return success(Object.fromEntries(entries.map(([name, each]) => [name, String(each)])));
}

interface Expansion {
  /** Of the entry. */
  readonly hash: string;
  /** The inputs without a value are added. */
  readonly missing: Set<string>;
}

type Expand = (text: string, context: ParseContext, expansion: Expansion) => Outcome<string>;

/** Replaces the variables in all texts of an entry. */
function expand(value: unknown, expandText: (text: string) => Outcome<string>): Outcome<unknown> {
  if (typeof value === 'string') return expandText(value);
  if (Array.isArray(value)) {
    const items = value.map((each) => expand(each, expandText));
    const wrong = items.find((each) => !each.ok);
    return wrong ?? success(items.flatMap((each) => (each.ok ? [each.data] : [])));
  }
  if (!isRecord(value)) return success(value);
  const fields: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value)) {
    const expanded = expand(each, expandText);
    if (!expanded.ok) return expanded;
    fields.push([name, expanded.data]);
  }
  return success(Object.fromEntries(fields));
}

/** `${env:NAME}` and `${input:id}` as in VS Code, `${NAME}` and `${NAME:-default}` as in `.mcp.json`. */
function expandVariables(
  text: string,
  { folder, env, input }: ParseContext,
  { hash, missing }: Expansion,
): Outcome<string> {
  let unset: string | undefined;
  const expanded = text.replace(/\$\{([^{}]*)\}/g, (whole, inner: string) => {
    if (inner === 'workspaceFolder') return folder;
    if (inner === 'workspaceFolderBasename') return path.basename(folder);
    if (inner === 'userHome') return getHome(env);
    if (inner === 'pathSeparator' || inner === '/') return path.sep;
    const [, kind, name = ''] = /^(env|input):(.+)$/.exec(inner) ?? [];
    if (kind === 'env') return env[name] ?? '';
    if (kind === 'input') {
      const value = input?.(name, hash);
      if (value === undefined) missing.add(name);
      return value ?? '';
    }
    const [, variable = '', otherwise] = /^([A-Za-z_]\w*)(?::-(.*))?$/.exec(inner) ?? [];
    if (variable === '') return whole;
    const value = env[variable] ?? otherwise;
    if (value === undefined) unset ??= `The environment variable ${variable} is not set.`;
    return value ?? '';
  });
  return unset === undefined ? success(expanded) : failure(unset);
}
