/** A VS Code server that tests run in, as npm's `code-server` carries it. */
export interface Release {
  readonly vscode: string;
  readonly codeServer: string;
  /** The version of npm's Node that runs the server. Absent: the Node that runs the tests. */
  readonly node?: string;
  /** Its default themes: their settings' values and files. */
  readonly light: ThemeFile;
  readonly dark: ThemeFile;
  /** Modules without a prebuilt binary (`standIns.ts`). */
  readonly standIns: readonly string[];
  /** Versions on npm of what the server's own manifest takes from git repositories. */
  readonly published: Readonly<Record<string, string>>;
}

interface ThemeFile {
  readonly name: string;
  readonly file: string;
}

const RELEASES = {
  newest: {
    vscode: '1.139',
    codeServer: '4.139.1',
    light: { name: 'Light 2026', file: '2026-light' },
    dark: { name: 'Dark 2026', file: '2026-dark' },
    standIns: ['@vscode/native-watchdog', '@vscode/spdlog'],
    published: {},
  },
  // The oldest that `engines.vscode` allows. Its extension host hangs under Node 24.
  floor: {
    vscode: '1.106',
    codeServer: '4.106.3',
    node: '22.23.3',
    light: { name: 'Default Light Modern', file: 'light_modern' },
    dark: { name: 'Default Dark Modern', file: 'dark_modern' },
    standIns: ['native-watchdog', '@vscode/spdlog', 'node-pty'],
    published: { '@parcel/watcher': '2.5.1' },
  },
} as const satisfies Readonly<Record<string, Release>>;

export type ReleaseName = keyof typeof RELEASES;

/** The release that this process tests: what `TEST_RELEASE` names, else the newest. */
export function testedRelease(env: NodeJS.ProcessEnv = process.env): Release {
  const name = env['TEST_RELEASE'] || 'newest';
  if (!isReleaseName(name))
    throw new Error(
      `TEST_RELEASE is "${name}"; it must be one of ${Object.keys(RELEASES).join(', ')}.`,
    );
  return RELEASES[name];
}

function isReleaseName(name: string): name is ReleaseName {
  return Object.hasOwn(RELEASES, name);
}

/** npm's package of the Node that a release needs, for this system. */
export function nodePackage(): string {
  return `node-${process.platform}-${process.arch}`;
}
