import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SAMPLE } from './paths.ts';

export interface Sample {
  readonly folder: string;
  /** The file with the bug. */
  readonly buggy: string;
  /** Makes every file of the folder what it was at first, and removes the others. */
  reset(): void;
  dispose(): void;
}

/** A fresh copy of the sample workspace, a git repository of its own, with these settings of the folder. */
export function copySample(settings?: Readonly<Record<string, unknown>>): Sample {
  const parent = mkdtempSync(path.join(tmpdir(), 'gatehouse-'));
  const folder = path.join(parent, 'sample');
  cpSync(SAMPLE, folder, { recursive: true });
  spawnSync('git', ['init', '--quiet'], { cwd: folder });
  writeSettings(folder, settings);
  return {
    folder,
    buggy: path.join(folder, 'src/sum.js'),
    reset: () => {
      for (const name of readdirSync(folder)) {
        if (name !== '.git')
          rmSync(path.join(folder, name), { recursive: true, force: true, maxRetries: 5 });
      }
      cpSync(SAMPLE, folder, { recursive: true });
      writeSettings(folder, settings);
    },
    dispose: () => rmSync(parent, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function writeSettings(folder: string, settings: Readonly<Record<string, unknown>> = {}): void {
  if (Object.keys(settings).length === 0) return;
  mkdirSync(path.join(folder, '.vscode'), { recursive: true });
  const file = path.join(folder, '.vscode/settings.json');
  writeFileSync(file, JSON.stringify(settings, undefined, 2));
}
