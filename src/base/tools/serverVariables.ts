/** Names of variables by which shells, runtimes and git find programs or load code. */
const LOADS = new RegExp(
  `^(?:${[
    '_JAVA_OPTIONS|PATH|PATHEXT|HOME|SHELL|ENV|BASH_ENV|CLASSPATH|GCONV_PATH|SSH_ASKPASS',
    'COMSPEC|EDITOR|VISUAL|PAGER|APPDATA|LOCALAPPDATA|USERPROFILE|VIRTUAL_ENV|TCLLIBPATH',
    '(?:LD|DYLD|NODE|NPM_CONFIG|BUN|DENO|GEM|BUNDLE|LUA|JAVA|JDK|DOTNET|COR|CORECLR|GIT|UV|PIP|CARGO)_.*',
    '(?:OPENSSL|YARN|PNPM|COREPACK|ELECTRON|TS_NODE|TSX|BABEL|DOCKER|MAVEN|GRADLE|POETRY|PIPX|CONDA)_.*',
    '(?:JULIA|R|GUILE|ERL|ELIXIR|MONO|NIX|MISE|ASDF|VOLTA|PROTO|XDG)_.*',
    'GO(?:FLAGS|ENV|PATH|ROOT|PROXY|TOOLCHAIN|WORK|BIN|VCS)',
    '(?:PYTHON|PERL|RUBY|RUST|PHP).*',
    '.*_(?:OPTS|OPTIONS|FLAGS|PRELOAD|WRAPPER|PATH)',
  ].join('|')})$`,
  'i',
);

/** Whether a variable of this name may choose what runs. */
export function isLoading(name: string): boolean {
  return LOADS.test(name);
}

/** Endings of scripts, libraries, and of configurations that name such. */
const CODE = new RegExp(
  `[^./\\\\]\\.(?:${[
    '[cm]?[jt]sx?|node|wasm|pyz?|rb|(?:ba|z)?sh|ps1|cmd|bat|exe|dll|so|dylib|jar|war|class',
    'php|pl|lua|go|rs|kts|groovy|exs?|jl|r|csx?|csproj|jsonc?|json5|toml|ya?ml|ini|cfg|cnf|conf|xml|env',
  ].join('|')})$`,
  'i',
);

const ABSOLUTE = /^(?:[\\/]|[A-Za-z]:[\\/])/;

/** Whether a variable's value, which may be a list of folders or of options, names files relative to where a program starts. */
export function holdsRelativeFile(value: string): boolean {
  const words = value.split(/[\s;,=]+/).filter((word) => !word.includes('://'));
  return words.flatMap((word) => word.split(':')).some(isRelativeFile);
}

function isRelativeFile(name: string): boolean {
  return !ABSOLUTE.test(name) && (/^\.{1,2}[\\/]/.test(name) || CODE.test(name));
}
