import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const MAIN = path.resolve(import.meta.dirname, '../../../dist/host/main.mjs');

/** A workspace with a data folder of its own, and the built commands on it. */
export interface Bed {
  readonly workspace: string;
  readonly data: string;
  /** Runs the built command in the workspace. */
  gatehouse(...args: readonly string[]): Ran;
  write(files: Readonly<Record<string, string>>): void;
  [Symbol.dispose](): void;
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Files are executable. `name` is the folder's own. */
export function openBed(files: Readonly<Record<string, string>>, name = 'workspace'): Bed {
  const root = mkdtempSync(path.join(tmpdir(), 'built-'));
  const workspace = path.join(root, name);
  const data = path.join(root, 'data');
  mkdirSync(workspace);
  mkdirSync(data);
  const write: Bed['write'] = (more) => {
    for (const [file, text] of Object.entries(more)) {
      mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
      writeFileSync(path.join(workspace, file), text, { mode: 0o755 });
    }
  };
  write(files);
  return {
    workspace,
    data,
    write,
    gatehouse(...args) {
      const ran = spawnSync(process.execPath, [MAIN, ...args], {
        cwd: workspace,
        encoding: 'utf8',
        input: '',
        env: {
          PATH: process.env['PATH'],
          HOME: root,
          GATEHOUSE_DATA: data,
          GATEHOUSE_CONFIG: path.join(data, 'settings.json'),
        },
      });
      return { code: ran.status, out: ran.stdout, err: ran.stderr };
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

const ALLOW = JSON.stringify([{ permission: '*', pattern: '*', action: 'allow' }]);

/** Calls a tool of the workspace with everything allowed; the envelope. */
export function call(bed: Bed, tool: string, input: unknown) {
  const { out, err } = bed.gatehouse(
    ...['call', tool, JSON.stringify(input), '--workspace', bed.workspace, '--rules', ALLOW],
  );
  try {
    return JSON.parse(out);
  } catch {
    throw new Error(`no envelope: ${out} ${err}`);
  }
}

/** An agentcli manifest with one tool, `x`, which answers with its arguments. */
export function oneTool(more: object = {}): Readonly<Record<string, string>> {
  const tools = [{ name: 'x', command: ['./tools/bin/x'], ...more }];
  return { 'tools.json': JSON.stringify({ tools }), 'tools/bin/x': '#!/bin/sh\ncat\n' };
}
