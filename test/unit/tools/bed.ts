import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { Envelope } from '../../../src/base/stream/envelope.ts';
import { createCall } from '../../../src/host/cli/call.ts';
import type { NetHooks } from '../../../src/runtime/net/net.ts';

/** A folder with a workspace, a place outside it, and the host's data. */
export interface Bed extends Disposable {
  readonly root: string;
  readonly workspace: string;
  readonly outside: string;
  readonly data: string;
}

export function openBed(workspaceName = 'work'): Bed {
  // The folder for temporary files may be a link; what a command says of its place is the real one.
  const root = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-tools-'));
  const [workspace, outside, data] = [workspaceName, 'outside', 'data'].map((name) => {
    const folder = path.join(root, name);
    mkdirSync(folder);
    return folder;
  });
  if (!workspace || !outside || !data) throw new Error('no folders');
  return {
    root,
    workspace,
    outside,
    data,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface CallOptions {
  readonly workspace?: readonly string[];
  readonly rules?: unknown;
  readonly capabilities?: unknown;
  readonly net?: NetHooks;
  readonly stdin?: string;
}

export interface Called {
  readonly envelope: Envelope;
  readonly exitCode: number;
}

/** `gatehouse call`, in this process: the command itself, with its streams as values. */
export async function gatehouseCall(
  bed: Bed,
  tool: string,
  input: unknown,
  options: CallOptions = {},
): Promise<Called> {
  const args = [tool, '-', '--user-data', bed.data];
  for (const folder of options.workspace ?? [bed.workspace]) args.push('--workspace', folder);
  for (const name of ['rules', 'capabilities'] as const) {
    if (options[name] === undefined) continue;
    // The same words go into the same file, so calls side by side never see it half written.
    const text = JSON.stringify(options[name]);
    const file = path.join(
      bed.root,
      `${name}-${createHash('sha1').update(text).digest('hex')}.json`,
    );
    if (!existsSync(file)) writeFileSync(file, text);
    args.push(`--${name}`, file);
  }
  const stdout = new PassThrough();
  const command = createCall(options.net === undefined ? {} : { net: options.net });
  const exitCode = await command({
    args,
    stdin: Readable.from([options.stdin ?? JSON.stringify(input)]),
    stdout,
    stderr: new PassThrough().resume(),
    env: process.env,
    cwd: bed.root,
  });
  const line = String(stdout.read() ?? '');
  return { envelope: JSON.parse(line), exitCode };
}

/** Everything may be done: for tests that are not about rules. */
export const ALLOW_ALL = [{ permission: '*', pattern: '*', action: 'allow' }];
