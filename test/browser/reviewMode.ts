import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '../workbench/processes.ts';
import { hosts, type Scene, traceOf } from './scene.ts';

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

/**
 * Changes the mode and waits until the host was told. The editor begins to watch the file some time
 * after it opened the folder, and what was written before that goes unseen: so it is written again.
 */
export async function useMode(scene: Scene, mode: 'each' | 'turn' | 'afterwards'): Promise<void> {
  if (scene.settings['gatehouse.review.mode'] === mode) return;
  // The first turn starts the host.
  scene.model.script({ text: 'Hello.' });
  await scene.chat.send('hello');
  await scene.chat.said('Hello.');
  await scene.chat.idle();
  const told = () => (configuredMode(scene) === mode ? true : undefined);
  await until(`the mode ${mode}`, () => {
    scene.workbench.updateSettings({ 'gatehouse.review.mode': mode });
    return until('it', told, 3000).catch(() => undefined);
  });
}

/** The mode in the latest settings that the host of this window was sent. */
function configuredMode(scene: Scene): unknown {
  const sent = hosts(scene).flatMap(({ pid }) => traceOf(pid).split('\n'));
  const last = sent.findLast((line) => line.includes('"method":"_gatehouse/configure"'));
  return /"review\.mode":"(\w+)"/.exec(last ?? '')?.[1];
}
