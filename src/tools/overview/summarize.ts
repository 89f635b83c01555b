export interface Overview {
  /** The tree, one folder or file in each line. */
  readonly text: string;
  /** The number of all files. */
  readonly files: number;
  readonly languages: readonly { readonly language: string; readonly files: number }[];
  /** How many folders the tree leaves out. */
  readonly omitted?: number;
}

/** The most lines of the tree. */
const MOST_LINES = 200;
const MOST_TOP_FILES = 30;
const MOST_LANGUAGES = 15;

/** Summarizes paths that are separated by `/`, in any order. */
export function summarize(paths: readonly string[], depth: number): Overview {
  const folders = countFolders(paths, depth);
  const top = paths.filter((path) => !path.includes('/')).sort();
  const names = sortTree(folders.keys());
  // All folders near the top are worth more than many of one branch.
  const near = [...names].sort((a, b) => getLevel(a) - getLevel(b) || (a < b ? -1 : 1));
  const shown = new Set(near.slice(0, MOST_LINES - Math.min(top.length, MOST_TOP_FILES)));
  const lines = names
    .filter((name) => shown.has(name))
    .map((name) => toLine(name, folders.get(name)));
  const more = top.length - MOST_TOP_FILES;
  const rest = more > 0 ? [`… ${more} more files`] : [];
  const omitted = names.length - shown.size;
  return {
    text: [...lines, ...top.slice(0, MOST_TOP_FILES), ...rest].join('\n'),
    files: paths.length,
    languages: countLanguages(paths),
    ...(omitted > 0 && { omitted }),
  };
}

/** The files in each folder and below it. */
function countFolders(paths: readonly string[], depth: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1);
    for (let level = 1; level <= Math.min(parts.length, depth); level += 1) {
      const folder = parts.slice(0, level).join('/');
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return counts;
}

/** What lies in a folder right behind it: `a`, `a/b`, `a-b`. */
function sortTree(folders: Iterable<string>): string[] {
  const keyed = [...folders].map((name) => ({ name, key: name.replaceAll('/', '\0') }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ name }) => name);
}

function getLevel(folder: string): number {
  return folder.split('/').length - 1;
}

function toLine(folder: string, count = 0): string {
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  return `${'  '.repeat(getLevel(folder))}${name}/ (${count})`;
}

function countLanguages(paths: readonly string[]): Overview['languages'] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const ending = /[^/]\.(\w{1,10})$/.exec(path)?.[1]?.toLowerCase();
    const language = ending === undefined ? undefined : LANGUAGES.get(ending);
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts]
    .map(([language, files]) => ({ language, files }))
    .sort((a, b) => b.files - a.files || (a.language < b.language ? -1 : 1))
    .slice(0, MOST_LANGUAGES);
}

const LANGUAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TypeScript: 'ts tsx mts cts',
    JavaScript: 'js jsx mjs cjs',
    Python: 'py pyi',
    Go: 'go',
    Rust: 'rs',
    Java: 'java',
    Kotlin: 'kt kts',
    Swift: 'swift',
    C: 'c h',
    'C++': 'cc cpp cxx hpp hh',
    'C#': 'cs',
    Ruby: 'rb',
    PHP: 'php',
    Shell: 'sh bash zsh',
    PowerShell: 'ps1 psm1',
    HTML: 'html htm',
    CSS: 'css scss less',
    Vue: 'vue',
    Svelte: 'svelte',
    SQL: 'sql',
    Markdown: 'md mdx',
    JSON: 'json jsonc',
    YAML: 'yaml yml',
    TOML: 'toml',
    Lua: 'lua',
    Dart: 'dart',
    Elixir: 'ex exs',
    Haskell: 'hs',
    Scala: 'scala',
    Zig: 'zig',
  }).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
);
