import { spawnSync } from 'node:child_process';
import { until } from '../workbench/processes.ts';

/** Commits all files of a folder. The editor, which looks at the repository as well, may hold git's lock. */
export async function commitAll(folder: string): Promise<void> {
  const git = (...args: readonly string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  await until('the commit', () => {
    git('add', '.');
    git('commit', '--quiet', '--message', 'Sample');
    const { status, stdout } = git('status', '--porcelain');
    return status === 0 && stdout === '' && git('rev-parse', 'HEAD').status === 0;
  });
}
