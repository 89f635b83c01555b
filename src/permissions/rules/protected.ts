import { isBelow } from '../patterns/paths.ts';
import type { Roots } from '../patterns/roots.ts';

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
    '.agent',
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
  ...['.trae', '.windsurf', '.cline', '.openhands'],
  // Tools that an editor or a shell starts, and what they run.
  '.mise',
  // Hooks of git.
  ...['.githooks', '.husky', '.lefthook', '.lefthook-local'],
] as const;

const PROTECTED_FILES = [
  // Makes git take the folder for a repository, whose configuration names programs.
  'head',
  ...['.gitmodules', '.gitattributes', '.gitconfig', '.pre-commit-config.yaml'],
  ...['.pre-commit-config.yml', 'prek.toml'],
  ...['.mcp.json', 'tools.json', 'manifest.toml', 'policy.caps', 'opencode.json', 'opencode.jsonc'],
  ...['agents.md', 'agents.override.md', 'agent.md', 'claude.md', 'claude.local.md', 'context.md'],
  ...['copilot-instructions.md', 'crush.md', 'gemini.md', 'qwen.md', 'warp.md'],
  ...['.cursorrules', '.clinerules', '.goosehints', '.roorules', '.roomodes', '.windsurfrules'],
  ...['.aider.conf.yml', '.crush.json', 'crush.json', '.rules'],
  // Run, or choose what is run, when an editor or a shell enters the folder.
  ...['.devcontainer.json', '.envrc', '.tool-versions', '.miserc.toml', '.exrc', '_exrc'],
  ...['.dir-locals.el', '.dir-locals-2.el', '_vimrc', '.gvimrc', '_gvimrc'],
  ...['.nvimrc', '.nvim.lua', '.vimrc'],
  // Run by each shell, or by an interpreter or debugger that an editor starts in the folder.
  ...['.profile', '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases'],
  ...['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc'],
  ...['.login', '.logout', '.xprofile', '.xinitrc', '.xsession', 'config.fish'],
  ...['.rprofile', '.irbrc', '.pdbrc', '.gdbinit', '.lldbinit'],
  // Name programs and hosts of commands that run nothing else of the project.
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', '.pnpmfile.mjs', '.ripgreprc'],
] as const;

/** Names that such a tool builds: of another format, of one machine (`local`) or of an environment. Folded. */
const FAMILIES = [
  /^\.?lefthook(?:-local)?\.(?:ya?ml|toml|jsonc?)$/,
  /^\.?mise(?:\.[\w-]+)*\.toml$/,
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

/** What mise reads in a folder `mise`, which is also that of the user's own settings. */
const IN_MISE = /(?<=^|\/)mise\/(?:config(?:\.[\w-]+)*\.toml|conf\.d(?:\/.*)?)$/;

/**
 * What names the hooks and programs of Mercurial and Jujutsu, which editors start as they start git, and the folders
 * themselves. All else there changes with every command.
 */
const IN_OTHER_REPOSITORY =
  /(?<=^|\/)(?:\.hg(?:\/(?:hgrc|hgrc-not-shared|sharedpath))?|\.jj(?:\/(?:repo|repo\/config\.toml|workspace-config\.toml))?)$/;

/** Where editors keep the data of their users, of VS Code and its forks alike. Folded, without `user` or `machine`. */
const EDITOR_DATA = [
  // Linux, also in a flatpak or with snap; macOS; Windows.
  String.raw`(?:\.config|\.var\/app\/[^/]+\/config|application support|roaming)\/[^/]+`,
  // Portable, a remote machine, code-server.
  String.raw`(?:user-data|\.[^/]+-(?:server(?:-[^/]+)?|remote)\/data|\.local\/share\/[^/]+-server)`,
].join('|');

const EDITOR_FILE = String.raw`(?:profiles\/[^/]+\/)?(?:settings|mcp|tasks|keybindings)\.json`;
const EDITOR_FOLDER = String.raw`profiles(?:\/[^/]+)?`;

/**
 * The user's own settings, of VS Code and its forks (also those of a profile and of a remote machine) and of
 * Gatehouse for other clients. They lie in the workspace when the user opens the home folder. A folder counts
 * itself, because copying or moving to it names no file, but not all that is below it: editors write there
 * all the time.
 */
const USER_SETTINGS = [
  IN_MISE,
  IN_OTHER_REPOSITORY,
  new RegExp(
    `(?<=^|/)(?:${EDITOR_DATA})/(?:user|machine)(?:/(?:${EDITOR_FILE}|${EDITOR_FOLDER}))?$`,
  ),
  /(?<=^|\/)(?:\.config|application support|roaming)\/(?:code(?: - insiders| - oss)?|vscodium|cursor|windsurf)$/,
  /(?<=^|\/)(?:\.config|roaming)\/gatehouse(?=\/|$)/,
];

/** What such a path may end with if its beginning isn't known. */
const ENDS_LIKE_SETTINGS = new RegExp(
  `(?:^|/)(?:(?:user|machine)(?:/(?:${EDITOR_FILE}|${EDITOR_FOLDER}))?|gatehouse(?:/settings\\.json|/agents(?:/.*)?)?)$`,
);

/** What an editor reads in the folder of its user's data; empty for the folder itself. */
const IN_EDITOR = new RegExp(`^(?:${EDITOR_FILE}|${EDITOR_FOLDER})?$`);

const FOLDERS: ReadonlySet<string> = new Set(PROTECTED_FOLDERS);
const FILES: ReadonlySet<string> = new Set(PROTECTED_FILES);
const GITHUB: ReadonlySet<string> = new Set(IN_GITHUB);

/** Where this user's settings lie, besides what names tell. Real paths. */
export type OwnSettings = Pick<Roots, 'settings' | 'editors'>;

/** The name in the path that makes it protected, or undefined. `realPath` is absolute, with `/`. */
export function findProtected(realPath: string, own?: OwnSettings): string | undefined {
  const path = fold(realPath);
  const names = path.split('/');
  const folder = names.find((name) => FOLDERS.has(name));
  if (folder !== undefined) return folder;
  const inner = names.find((name, index) => names[index - 1] === '.github' && GITHUB.has(name));
  if (inner !== undefined) return `.github/${inner}`;
  const file = names.at(-1) ?? '';
  // What is moved, copied or linked to it names none of these folders.
  if (file === '.github') return file;
  if (isFile(file)) return file;
  const known = USER_SETTINGS.map((each) => each.exec(path)?.[0]);
  return known.find((each) => each !== undefined) ?? (isOwn(path, own) ? file : undefined);
}

function isFile(name: string): boolean {
  return (
    FILES.has(name) || name.endsWith('.code-workspace') || FAMILIES.some((each) => each.test(name))
  );
}

/** Names that are protected in some folder, beside those of `FOLDERS` and `FILES`. Folded. */
const SOMETIMES: ReadonlySet<string> = new Set([
  ...IN_GITHUB,
  ...[
    '.github',
    ...['.hg', '.jj', 'hgrc', 'hgrc-not-shared', 'sharedpath', 'repo', 'workspace-config.toml'],
    'user',
    'machine',
    'profiles',
    'gatehouse',
    'conf.d',
    'settings.json',
    'mcp.json',
    'tasks.json',
  ],
  ...[
    'keybindings.json',
    'code',
    'code - insiders',
    'code - oss',
    'vscodium',
    'cursor',
    'windsurf',
  ],
]);

/** A name that `fold` only changes in case. */
const PLAIN = /^[\w.@+, -]*[\w@+,-]$/;

/**
 * A test for many paths: whether `findProtected` finds something in a folder's path with one of its names. Most
 * names are told from those that are protected anywhere.
 */
export function createProtectedTest(own: OwnSettings): (folder: string, name: string) => boolean {
  const roots = [...(own.settings ?? []), ...(own.editors ?? [])];
  const names = new Set(roots.map((each) => fold(each.slice(each.lastIndexOf('/') + 1))));
  let last: { readonly folder: string; readonly whole: boolean } | undefined;
  return (folder, name) => {
    const start = folder === '/' ? '/' : `${folder}/`;
    // No protected name contains a NUL, so it is the folder that protects it.
    if (last?.folder !== folder)
      last = { folder, whole: findProtected(`${start}\0`, own) !== undefined };
    if (last.whole) return true;
    const lower = name.toLowerCase();
    const known =
      isFile(lower) ||
      // `mise/config.toml` and what an environment makes of it.
      (lower.startsWith('config.') && lower.endsWith('.toml')) ||
      [FOLDERS, SOMETIMES, names].some((each) => each.has(lower));
    const plain = PLAIN.test(name) && !known;
    return !plain && findProtected(start + name, own) !== undefined;
  };
}

/** Whether a path whose beginning isn't known may be protected. */
export function mayBeProtected(end: string): boolean {
  return findProtected(`/${end}`) !== undefined || ENDS_LIKE_SETTINGS.test(fold(end));
}

function isOwn(path: string, { settings = [], editors = [] }: OwnSettings = {}): boolean {
  return (
    settings.some((each) => isBelow(path, fold(each))) ||
    editors.some((each) => {
      const folder = fold(each);
      return isBelow(path, folder) && IN_EDITOR.test(path.slice(folder.length + 1));
    })
  );
}

/**
 * Folds like the most permissive file systems: compatibility forms, case, ignored characters, and
 * what Windows strips from names: streams, trailing dots and spaces (CVE-2019-1352).
 */
export function fold(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/[\p{Cf}]/gu, '')
    .toLowerCase()
    .replaceAll('ſ', 's')
    .replace(/(?<=[^/:]):[^/]*|(?<=[^/. ])[. ]+(?=\/|$)/g, '');
}
