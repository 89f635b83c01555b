import { failure, type Outcome, success } from '../../base/outcome.ts';
import { canRun, findOnPath } from '../commands/onPath.ts';

/** Finds ripgrep: the editor's binary, then the optional package, then the one on PATH. */
export async function findRipgrep(rgPath: string | undefined): Promise<Outcome<string>> {
  if (rgPath !== undefined && canRun(rgPath)) return success(rgPath);
  packaged ??= findPackaged();
  const found = (await packaged) ?? findOnPath('rg', process.env['PATH']);
  return found === undefined
    ? failure(
        'Search requires ripgrep, which is not installed. Ask the user to install it (apt install ripgrep, brew install ripgrep), then try again. Until then, use read, or bash with find.',
      )
    : success(found);
}

let packaged: Promise<string | undefined> | undefined;

async function findPackaged(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return canRun(rgPath) ? rgPath : undefined;
  } catch {
    // The optional dependency isn't installed; try PATH.
    return undefined;
  }
}
