import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { COMPILE_CACHE } from '../compileCache.ts';
import { ROOT } from '../host/stdioHost.ts';

/** The built host and CLI, as editors and scripts start it. */
export const MAIN = path.join(ROOT, 'dist/host/main.mjs');

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `gatehouse WORDS…` in a folder, with nothing of this process's environment but PATH. */
export function gatehouse(
  words: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<Ran> {
  const options = { cwd, env: { ...COMPILE_CACHE, PATH: process.env['PATH'], HOME: cwd, ...env } };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...words], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
    child.stdin?.end();
  });
}

export type Files = Readonly<Record<string, string | object>>;

/** Writes files below a folder, all of them executable; an object is written as JSON. */
export async function place(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(file, text, { mode: 0o755 });
  }
}
