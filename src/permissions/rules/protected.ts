/**
 * Files that make the editor, git or an agent trust or run something (spec decision 11,
 * CVE-2025-53773). Writing one always asks, whatever rules allow; a deny still denies. Names are
 * compared on the real path, and without case on every file system (CVE-2025-59944).
 */
const PROTECTED_FOLDERS = [
  '.vscode',
  '.git',
  '.agents',
  '.claude',
  '.gatehouse',
  '.devcontainer',
  '.idea',
  '.husky',
] as const;

const PROTECTED_FILES = [
  '.gitmodules',
  '.gitattributes',
  '.mcp.json',
  'tools.json',
  'manifest.toml',
  'policy.caps',
  'agents.md',
  'claude.md',
  'context.md',
  '.envrc',
  '.npmrc',
  '.ripgreprc',
] as const;

const FOLDERS: ReadonlySet<string> = new Set(PROTECTED_FOLDERS);
const FILES: ReadonlySet<string> = new Set(PROTECTED_FILES);

/** The name in the path that makes it protected, or undefined. `realPath` is absolute, with `/`. */
export function findProtected(realPath: string): string | undefined {
  const names = fold(realPath).split('/');
  const folder = names.find((name) => FOLDERS.has(name));
  if (folder !== undefined) return folder;
  const file = names.at(-1) ?? '';
  return FILES.has(file) || file.endsWith('.code-workspace') ? file : undefined;
}

/**
 * Folds like the most permissive file systems: compatibility forms, case, ignored characters, and
 * what Windows strips from names: streams, trailing dots and spaces (CVE-2019-1352).
 */
function fold(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/[\p{Cf}]/gu, '')
    .toLowerCase()
    .replaceAll('ſ', 's')
    .replace(/(?<=[^/:]):[^/]*|(?<=[^/. ])[. ]+(?=\/|$)/g, '');
}
