import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Scene } from './scene.ts';

/** The arguments of a call that replaces a line. */
export const edit = (file: string, from: string, to: string) => ({
  tool: 'edit',
  input: { path: file, old_string: from, new_string: to },
});

/** Four files of three lines each. */
export const FILES = ['one.txt', 'two.txt', 'three.txt', 'four.txt'] as const;

/** Writes them, and returns what reads one. */
export function prepareFiles({ sample }: Scene): (file: string) => string {
  for (const file of FILES) {
    writeFileSync(path.join(sample.folder, file), `first of ${file}\nsecond\nthird\n`);
  }
  return (file) => readFileSync(path.join(sample.folder, file), 'utf8');
}

/** Settings of a folder in which changes are reviewed in this mode. */
export function inMode(mode: 'turn' | 'afterwards') {
  return { settings: { 'gatehouse.review.mode': mode } } as const;
}
