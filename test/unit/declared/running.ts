import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getFingerprint } from '../../../src/declared/acceptance.ts';
import {
  type LoadedTools,
  type LoadRequest,
  loadDeclaredTools,
} from '../../../src/declared/load.ts';
import type { AuditRow } from '../../../src/declared/run/auditLog.ts';
import type { DeclaredOptions } from '../../../src/declared/run/options.ts';
import type { Net, Runtime } from '../../../src/runtime/runtime.ts';
import type { Tool } from '../../../src/tools/contract.ts';
import { OPTIONS } from './loading.ts';

export const ROOT = mkdtempSync(path.join(tmpdir(), 'declared-'));

/** A folder with the given files, all of them executable. */
export function place(files: Readonly<Record<string, string>>, name = 'shop'): string {
  const folder = path.join(mkdtempSync(path.join(ROOT, 'case-')), name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text, { mode: 0o755 });
  }
  return folder;
}

export interface Bench {
  readonly folder: string;
  readonly rows: AuditRow[];
  readonly loaded: LoadedTools;
  tool(id: string): Tool;
  run(id: string, args?: unknown, more?: Partial<Runtime>): Promise<unknown>;
}

const HOME = { PATH: process.env['PATH'] ?? '', HOME: '/home/nobody' };

/** Loads a folder whose manifests are all accepted. */
export async function bench(
  files: Readonly<Record<string, string>>,
  options: Partial<DeclaredOptions> &
    Partial<Pick<LoadRequest, 'override' | 'agent' | 'trusted' | 'accepted'>> = {},
): Promise<Bench> {
  const folder = place(files);
  const rows: AuditRow[] = [];
  const { override, agent, trusted = true, accepted = { has: () => true }, ...own } = options;
  const declared: DeclaredOptions = {
    ...OPTIONS,
    audit: (row) => void rows.push(row),
    timeoutMs: 300_000,
    schemaMs: 30_000,
    ...own,
    env: { ...HOME, ...own.env },
  };
  const loaded = await loadDeclaredTools({
    roots: [folder],
    trusted,
    accepted,
    ...(override && { override }),
    ...(agent !== undefined && { agent }),
    options: declared,
  });
  const tool = (id: string): Tool => {
    const found = loaded.tools.find((each) => each.tool.id === id);
    if (found === undefined)
      throw new Error(`${id} is not offered: ${JSON.stringify(loaded.notOffered)}`);
    return found.tool;
  };
  return {
    folder,
    rows,
    loaded,
    tool,
    run: async (id, args = {}, more = {}) => {
      const one = tool(id);
      const fault = await one.check?.(args);
      if (fault !== undefined) return { refused: fault };
      const outcome = await one.execute(args, runtime(folder, more));
      return outcome.ok ? { data: outcome.data } : { error: outcome.error };
    },
  };
}

/** The part of a runtime that declared tools use. */
export function runtime(cwd: string, more: Partial<Runtime> = {}): Runtime {
  const folders = { workspace: [cwd], adHoc: [], cwd };
  const sidecars = { write: async () => ({ ok: true, data: '/side/car' }) as const };
  const part: Partial<Runtime> = {
    sidecars,
    folders,
    signal: new AbortController().signal,
    net,
    ...more,
  };
  return part as Runtime;
}

const net: Net = {
  async fetch({ url, method = 'GET', headers = {}, body, redirect }) {
    const mode = redirect === 'refuse' ? 'manual' : 'follow';
    const response = await fetch(url, {
      method,
      headers,
      redirect: mode,
      ...(body !== undefined && { body }),
    });
    return {
      ok: true,
      data: {
        url: response.url,
        status: response.status,
        contentType: response.headers.get('content-type') ?? '',
        body: Buffer.from(await response.arrayBuffer()),
      },
    };
  },
};

export { getFingerprint as fingerprintOf };
