import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { writeStart } from '../../../defaults/newBubblewrap.ts';

/** A function of a module beside this one that takes the environment of the sandbox. */
interface Part {
  readonly module: string;
  readonly name: string;
}

export const PROBES: Part = { module: 'probes.ts', name: 'runProbes' };

const isRoot = process.getuid?.() === 0;

/** Who runs it: nobody, or whoever runs the tests. */
export const USER = isRoot ? 65534 : process.getuid?.();

/**
 * Calls it as an ordinary user. `installed` is the folder of a bubblewrap that only root may enter: the user
 * gets a copy.
 */
export async function runAsUser(
  { module, name }: Part,
  installed?: string,
): Promise<{ readonly result: unknown; readonly errors: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-user-'));
  try {
    const bwrap = installed === undefined ? '' : copyBubblewrap(installed, folder);
    const script = path.join(folder, 'script.mjs');
    const from = JSON.stringify(path.join(import.meta.dirname, module));
    const line = `import { ${name} } from ${from};
      const result = await ${name}({ GATEHOUSE_BWRAP: ${JSON.stringify(bwrap)} });
      console.log(JSON.stringify(result));`;
    await build({
      stdin: { contents: line, resolveDir: folder },
      ...{ outfile: script, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
    });
    chmodSync(folder, 0o755);
    const { stdout, stderr } = runNode(script, folder);
    return { result: stdout === '' ? undefined : JSON.parse(stdout), errors: stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runNode(script: string, folder: string): { stdout: string; stderr: string } {
  const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' };
  const user = isRoot ? { uid: 65534, gid: 65534 } : {};
  const run = (node: string) =>
    spawnSync(node, [script], { cwd: '/', env, encoding: 'utf8', ...user });
  const ran = run(process.execPath);
  if (ran.error === undefined) return ran;
  // This Node lies in a folder that only root may enter.
  const copy = path.join(folder, 'node');
  copyFileSync(process.execPath, copy);
  return run(copy);
}

/** Its start names the folder that it was installed in. */
function copyBubblewrap(installed: string, folder: string): string {
  const to = path.join(folder, 'bubblewrap');
  cpSync(installed, to, { recursive: true });
  writeStart(to, to);
  return path.join(to, 'bwrap');
}
