import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { GuidanceFolders } from '../../../src/guidance/guidance.ts';

/** A home folder with a project in it, on disk. */
export function openProject(t: TestContext) {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-home-')));
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const root = path.join(home, 'project');
  mkdirSync(root);
  return {
    home,
    root,
    folders: (below = ''): GuidanceFolders => ({
      workspace: [path.join(root, below)],
      home,
      config: path.join(home, '.config'),
      decideRead: () => 'allow',
    }),
    write(file: string, content: string | Buffer): void {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    },
    skill(file: string, name: string, description = `About ${name}.`, body = `Do ${name}.`): void {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`);
    },
  };
}
