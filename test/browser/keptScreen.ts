import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { until } from '../workbench/processes.ts';
import type { Scene } from './scene.ts';

/** Waits until the last screen of the chat is on disk with a text, and returns all of it. */
export function keptOnDisk({ server }: Pick<Scene, 'server'>, text: string): Promise<string> {
  const files = path.join(server.home, 'data/User/workspaceStorage/*/*gatehouse*/screens/*.json');
  return until('the last screen on disk', () => {
    const found = globSync(files).find((file) => readFileSync(file, 'utf8').includes(text));
    if (found === undefined || (statSync(found).mode & 0o777) !== 0o600) return undefined;
    return readFileSync(found, 'utf8');
  });
}
