import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { RESULTS, ROOT } from './paths.ts';

/** Builds the product for users and packs it. Returns the .vsix; throws with the tool's own words. */
export function buildVsix(): string {
  const vsix = path.join(RESULTS, 'gatehouse.vsix');
  mkdirSync(RESULTS, { recursive: true });
  run('esbuild.mjs', ['--production']);
  const options = [
    '--no-dependencies',
    '--allow-missing-repository',
    '--no-rewrite-relative-links',
    '--out',
    vsix,
  ];
  run('node_modules/@vscode/vsce/vsce', ['package', ...options]);
  console.log(`${(statSync(vsix).size / 1e6).toFixed(2)} MB  gatehouse.vsix`);
  return vsix;
}

/** Packs an extension of the tests. */
export function packFixture(name: string): string {
  const vsix = path.join(RESULTS, `${name}.vsix`);
  mkdirSync(RESULTS, { recursive: true });
  const folder = path.join(ROOT, 'test/fixtures', name);
  const options = ['--no-dependencies', '--allow-missing-repository', '--skip-license'];
  const vsce = path.join(ROOT, 'node_modules/@vscode/vsce/vsce');
  run(vsce, ['package', ...options, '--out', vsix], folder);
  return vsix;
}

/** Runs a script of the repository with this Node, without questions to the terminal. */
function run(script: string, args: readonly string[], cwd = ROOT): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`${script} ${args.join(' ')} failed.\n${stdout}\n${stderr}`);
}
