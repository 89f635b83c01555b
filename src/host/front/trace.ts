import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Readable, Transform, type Writable } from 'node:stream';
import { CLIENT_REQUESTS } from '../../acp/gatehouse/methods.ts';
import { parseJson, toRecord } from '../../base/json.ts';

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

/** Redacts the secrets in requests that store one and in replies to those that ask for one. */
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
      if (!('result' in message) || !secrets.delete(message['id'])) return line;
      return JSON.stringify({ ...message, result: { value: null } });
    },
  };
}
