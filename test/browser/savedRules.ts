import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Scene } from './scene.ts';

function settingsFile({ sample }: Scene): string {
  return path.join(sample.folder, '.vscode', 'settings.json');
}

/** Looks again at a file that VS Code is just writing. */
export function readSettings(scene: Scene): Readonly<Record<string, unknown>> {
  const file = settingsFile(scene);
  if (!existsSync(file)) return {};
  for (let tries = 0; ; tries += 1) {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      if (tries > 100) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** The rules in the settings of the folder. */
export function savedRules(scene: Scene): readonly Readonly<Record<string, unknown>>[] {
  const rules = readSettings(scene)['gatehouse.permissions'];
  return Array.isArray(rules) ? rules : [];
}

export function saveRules(scene: Scene, rules: readonly object[]): void {
  const file = settingsFile(scene);
  const settings = readSettings(scene);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({ ...settings, 'gatehouse.permissions': rules }, undefined, 2),
  );
}
