/**
 * Files that make the editor, git or an agent trust or run something (spec decision 11,
 * CVE-2025-53773). Writing one always asks, whatever rules allow; a deny still denies. Names are
 * compared on the real path, and without case on every file system (CVE-2025-59944).
 */
export const PROTECTED_FOLDERS = [
  '.git',
  '.gatehouse',
  // Editors, and what runs when a folder is opened in one.
  ...['.vscode', '.devcontainer', '.idea', '.fleet', '.vs', '.zed'],
  // Agents: instructions, tools, permissions and hooks.
  ...[
    '.agents',
    '.amazonq',
    '.augment',
    '.claude',
    '.clinerules',
    '.codex',
    '.continue',
    '.cursor',
  ],
  ...[
    '.factory',
    '.gemini',
    '.goose',
    '.junie',
    '.kilocode',
    '.kiro',
    '.opencode',
    '.qwen',
    '.roo',
  ],
  ...['.trae', '.windsurf'],
  // Hooks of git.
  ...['.githooks', '.husky', '.lefthook'],
] as const;

const PROTECTED_FILES = [
  ...['.gitmodules', '.gitattributes', '.gitconfig', '.pre-commit-config.yaml'],
  ...['lefthook.yml', 'lefthook.yaml', '.lefthook.yml', '.lefthook.yaml'],
  ...['.mcp.json', 'tools.json', 'manifest.toml', 'policy.caps', 'opencode.json', 'opencode.jsonc'],
  ...['agents.md', 'agents.override.md', 'agent.md', 'claude.md', 'claude.local.md', 'context.md'],
  ...['copilot-instructions.md', 'crush.md', 'gemini.md', 'qwen.md', 'warp.md'],
  ...['.cursorrules', '.clinerules', '.goosehints', '.roorules', '.roomodes', '.windsurfrules'],
  ...['.aider.conf.yml', '.crush.json', 'crush.json', '.rules'],
  // Run, or choose what is run, when an editor or a shell enters the folder.
  ...['.devcontainer.json', '.envrc', '.mise.toml', 'mise.toml', '.dir-locals.el', '.exrc'],
  ...['.nvimrc', '.nvim.lua', '.vimrc'],
  // Name programs and hosts of commands that run nothing else of the project.
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', '.ripgreprc'],
] as const;

/** What agents read in `.github`. What runs on its servers doesn't count. */
export const IN_GITHUB = [
  'agents',
  'chatmodes',
  'hooks',
  'instructions',
  'prompts',
  'skills',
] as const;

/**
 * The user's own settings, of VS Code and its forks (also those of a profile and of a remote machine) and of
 * Gatehouse for other clients. They lie in the workspace when the user opens the home folder. A folder counts
 * itself, because copying or moving to it names no file, but not all that is below it: editors write there
 * all the time.
 */
const USER_SETTINGS = [
  /(?<=^|\/)(?:user|machine)\/(?:profiles\/[^/]+\/)?(?:settings|mcp|tasks|keybindings)\.json$/,
  /(?<=^|\/)(?:(?:\.config|application support|roaming)\/[^/]+|user-data|\.[^/]+-server\/data)\/(?:user|machine)(?:\/profiles(?:\/[^/]+)?)?$/,
  /(?<=^|\/)(?:\.config|application support|roaming)\/(?:code(?: - insiders| - oss)?|vscodium|cursor|windsurf)$/,
  /(?<=^|\/)(?:\.config|roaming)\/gatehouse(?=\/|$)/,
  /(?<=^|\/)gatehouse\/(?:settings\.json|agents\/[^/]+\.md)$/,
];

const FOLDERS: ReadonlySet<string> = new Set(PROTECTED_FOLDERS);
const FILES: ReadonlySet<string> = new Set(PROTECTED_FILES);
const GITHUB: ReadonlySet<string> = new Set(IN_GITHUB);

/** The name in the path that makes it protected, or undefined. `realPath` is absolute, with `/`. */
export function findProtected(realPath: string): string | undefined {
  const names = fold(realPath).split('/');
  const folder = names.find((name) => FOLDERS.has(name));
  if (folder !== undefined) return folder;
  const inner = names.find((name, index) => names[index - 1] === '.github' && GITHUB.has(name));
  if (inner !== undefined) return `.github/${inner}`;
  const file = names.at(-1) ?? '';
  if (FILES.has(file) || file.endsWith('.code-workspace')) return file;
  const path = names.join('/');
  return USER_SETTINGS.map((each) => each.exec(path)?.[0]).find((each) => each !== undefined);
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
