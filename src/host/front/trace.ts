import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Readable, Transform, type Writable } from 'node:stream';
import { CLIENT_REQUESTS } from '../../acp/gatehouse/methods.ts';
import { isRecord, parseJson, toRecord } from '../../base/json.ts';

export interface Pipes {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/**
 * Writes every raw protocol line to a file of this process in a folder (`GATEHOUSE_TRACE`): `<` marks
 * what the client sent, `>` what we sent. Secrets are redacted; the rest is the user's whole
 * conversation.
 */
export function traced({ stdin, stdout }: Pipes, folder: string | undefined): Pipes {
  if (!folder) return { stdin, stdout };
  mkdirSync(folder, { recursive: true });
  const trace = createWriteStream(traceFile(folder, process.pid), { flags: 'a', mode: 0o600 });
  const redact = createRedaction();
  const input = stdin.pipe(tap((line) => trace.write(`< ${redact.received(line)}\n`)));
  const output = tap((line) => trace.write(`> ${redact.sent(line)}\n`));
  output.pipe(stdout);
  return { stdin: input, stdout: output };
}

/** The file of the host with that process id. */
export function traceFile(folder: string, pid: number): string {
  return path.join(folder, `host-${pid}.log`);
}

/** Forwards bytes unchanged and reports each complete line. */
function tap(onLine: (line: string) => void): Transform {
  const decoder = new TextDecoder();
  let rest = '';
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') onLine(line);
      done(null, bytes);
    },
  });
}

/** Requests whose replies are secrets. */
const ASKING: readonly unknown[] = [
  CLIENT_REQUESTS.secret.method,
  CLIENT_REQUESTS.serverInput.method,
];

/** Redacts the secrets in requests that store one, in replies to those that ask for one, and in what MCP servers get. */
function createRedaction() {
  const secrets = new Set<unknown>();
  return {
    sent(line: string): string {
      const message = toRecord(parseJson(line));
      if (ASKING.includes(message['method'])) secrets.add(message['id']);
      if (message['method'] !== CLIENT_REQUESTS.storeSecret.method) return line;
      const params = { ...toRecord(message['params']), value: null };
      return JSON.stringify({ ...message, params });
    },
    received(line: string): string {
      const message = toRecord(parseJson(line));
      const params = toRecord(message['params']);
      if (hasServers(params)) return JSON.stringify({ ...message, params: hideServers(params) });
      if (!('result' in message) || !secrets.delete(message['id'])) return line;
      return JSON.stringify({ ...message, result: { value: null } });
    },
  };
}

/** A client gives MCP servers with a session; the settings have others. */
const SERVERS: ReadonlySet<string> = new Set(['mcpServers', 'mcp']);
/** What servers get, where the tokens are: lists of names and values, or an object of them. */
const GIVEN: ReadonlySet<string> = new Set(['env', 'headers']);

function hasServers(params: Fields): boolean {
  return [params, toRecord(params['settings'])].some((fields) =>
    Object.keys(fields).some((name) => SERVERS.has(name)),
  );
}

/** The names stay. */
function hideServers(params: Fields): Fields {
  const hide = (fields: Fields) =>
    mapFields(fields, (name, value) => (SERVERS.has(name) ? hideGiven(value) : value));
  const shown = hide(params);
  return 'settings' in params ? { ...shown, settings: hide(toRecord(params['settings'])) } : shown;
}

function hideGiven(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideGiven);
  if (!isRecord(value)) return value;
  return mapFields(value, (name, each) => (GIVEN.has(name) ? hideValues(each) : hideGiven(each)));
}

function hideValues(given: unknown): unknown {
  if (Array.isArray(given)) return given.map((pair) => ({ ...toRecord(pair), value: null }));
  return mapFields(toRecord(given), () => null);
}

type Fields = Readonly<Record<string, unknown>>;

function mapFields(fields: Fields, change: (name: string, value: unknown) => unknown): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, change(name, value)]),
  );
}
