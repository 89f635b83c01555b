import { failure, type Outcome, success } from '../../base/outcome.ts';
import { canRun, findOnPath } from '../commands/onPath.ts';

/** The editor's binary, else the optional package, else the one on PATH. */
export async function findRipgrep(rgPath: string | undefined): Promise<Outcome<string>> {
  if (rgPath !== undefined && canRun(rgPath)) return success(rgPath);
  packaged ??= findPackaged();
  const found = (await packaged) ?? findOnPath('rg', process.env['PATH']);
  return found === undefined
    ? failure(
        'ripgrep is missing, and searching needs it. Ask the user to install it (apt install ripgrep, brew install ripgrep) and call again; until then use read, or bash with find.',
      )
    : success(found);
}

let packaged: Promise<string | undefined> | undefined;

async function findPackaged(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return canRun(rgPath) ? rgPath : undefined;
  } catch {
    // An optional dependency: without it the one on PATH is tried.
    return undefined;
  }
}
