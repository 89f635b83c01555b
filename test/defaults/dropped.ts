/** Commands that read only, as it seems, and have no shipped rule, with what was found. */
export interface Dropped {
  readonly lines: readonly string[];
  readonly why: string;
}

export const DROPPED: readonly Dropped[] = [
  {
    lines: ['wget http://localhost:3000/', 'wget -qO- http://localhost:3000/'],
    why: 'It follows redirects to other hosts, reads `robots.txt` and writes files, unless several options say otherwise. `curl` does the same for addresses of this machine.',
  },
  {
    lines: [
      ...[
        'npm ls',
        'npm list',
        'npm explain x',
        'npm why x',
        'npm root',
        'npm prefix',
        'npm query x',
      ],
      ...['npm fund', 'npm run', 'npm pkg get name', 'npm config list', 'npm config get registry'],
    ],
    why: 'The project’s `.npmrc` chooses where npm writes its logs and cache and which registry its update check contacts, with the environment in the URL. Packages that are links are read outside the workspace. `config` prints registry URLs.',
  },
  {
    lines: [
      ...[
        'npm view x',
        'npm view user/repo',
        'npm info x',
        'npm outdated',
        'npm audit',
        'npm search x',
      ],
      ...['npm whoami', 'pip index versions x', 'pip list --outdated', 'pip list -o'],
    ],
    why: 'They contact a host that the project may choose: `npm view user/repo` even runs git.',
  },
  {
    lines: ['npm help install', 'npm help'],
    why: 'It starts a viewer that the project’s `.npmrc` names.',
  },
  {
    lines: [
      ...['pnpm --version', 'pnpm list', 'pnpm ls', 'pnpm why x', 'pnpm outdated', 'pnpm -v'],
      ...['yarn --version', 'yarn -v', 'yarn list', 'yarn why x', 'yarn info x', 'yarn outdated'],
      ...['yarn workspaces info', 'yarn workspaces list'],
    ],
    why: 'The version that the project names is fetched and run (`packageManager`, `yarnPath`), and so are its hooks (`.pnpmfile.cjs`).',
  },
  {
    lines: [
      'bun pm ls',
      'bun --version',
      'deno --version',
      'nx --version',
      'turbo --version',
      'vitest --version',
      'just --version',
      'task --version',
    ],
    why: 'They read the project first, or start the copy that it brings.',
  },
  {
    lines: ['jest --version'],
    why: 'It starts the copy of jest in the project’s `node_modules`.',
  },
  {
    lines: [
      ...[
        'pytest --version',
        'tox --version',
        'nox --version',
        'flake8 --version',
        'ansible --version',
      ],
      ...['pipenv --version', 'poetry --version', 'poetry show', 'poetry env info', 'poetry check'],
    ],
    why: 'They load plugins that the project’s settings name before they print anything.',
  },
  {
    lines: ['uv --version', 'uv pip list', 'uv python list'],
    why: 'It runs the interpreters that it finds, including the project’s `.venv`.',
  },
  {
    lines: ['pip freeze', 'pip3 freeze'],
    why: 'It starts git in the folders of editable packages, and prints their URLs.',
  },
  {
    lines: [
      'ruff check .',
      'ruff --version',
      'ruff rule E501',
      'ruff format --check .',
      'black --check .',
    ],
    why: 'They write a cache, where the project’s settings say. `--version` of ruff can’t be tested with Debian’s packages.',
  },
  {
    lines: [
      'bundle list',
      'bundle show',
      'bundle --version',
      'composer show',
      'composer --version',
    ],
    why: 'The Gemfile is code, the lock file selects a version that is fetched, and Composer loads the plugins in `vendor`.',
  },
  {
    lines: [
      ...[
        'cargo tree',
        'cargo metadata',
        'cargo --version',
        'cargo search x',
        'cargo pkgid',
        'cargo -V',
      ],
      ...['cargo --list', 'cargo help', 'cargo build --help', 'rustc --version', 'rustc -V'],
      ...['rustc --print sysroot', 'rustc -vV', 'rustup show', 'rustup toolchain list'],
      ...['rustup target list', 'rustup --version'],
    ],
    why: 'rustup starts the toolchain in the folder that `rust-toolchain.toml` names, or fetches one. Cargo runs what `.cargo/config.toml` names as the compiler.',
  },
  {
    lines: [
      ...[
        'go version',
        'go env GOPATH',
        'go list ./...',
        'go doc fmt',
        'go mod graph',
        'go mod why x',
      ],
      ...['go help build', 'go vet -h', 'go --version'],
    ],
    why: 'Every command fetches and starts the toolchain that `go.mod` names.',
  },
  {
    lines: [
      'mvn -v',
      'mvn --version',
      'gradle --version',
      'bazel --version',
      'mix --version',
      'elixir --version',
    ],
    why: 'They start Java, Erlang or another version of themselves with options from the project (`.mvn/jvm.config`, `gradle.properties`, `.bazelrc`, `.erlang`).',
  },
  {
    lines: [
      'dotnet --version',
      'dotnet --info',
      'dotnet --list-sdks',
      'dotnet --list-runtimes',
      'swift --version',
    ],
    why: '`global.json` or `.swift-version` selects the toolchain that is started, also one in the project.',
  },
  {
    lines: [
      ...[
        'gh pr list',
        'gh pr view 1',
        'gh pr diff 1',
        'gh pr checks',
        'gh pr status',
        'gh issue list',
      ],
      ...['gh issue view 1', 'gh run list', 'gh run view 1', 'gh repo view', 'gh auth status'],
      ...['gh release list', 'gh release view x', 'gh workflow list', 'gh label list'],
      ...['gh search code x', 'gh --version', 'glab --version'],
    ],
    why: 'They contact the host of the repository’s remote, print what others wrote there, and look for updates.',
  },
  {
    lines: [
      ...[
        'kubectl get pods',
        'kubectl describe pod x',
        'kubectl logs x',
        'kubectl top pods',
        'kubectl version',
      ],
      ...[
        'kubectl explain pod',
        'kubectl api-resources',
        'kubectl api-versions',
        'kubectl cluster-info',
      ],
      ...['kubectl rollout status x', 'kubectl config current-context', 'helm list', 'helm ls'],
      ...['helm status x', 'helm history x', 'helm version'],
    ],
    why: 'They contact a cluster, start the credential helper of its configuration, and may print secrets.',
  },
  {
    lines: ['terraform version', 'terraform --version', 'terraform fmt -check'],
    why: 'It looks for updates, and `fmt -diff` starts another program.',
  },
  {
    lines: [
      'brew list',
      'brew info jq',
      'brew --version',
      'aws --version',
      'gcloud --version',
      'az --version',
      'code --version',
    ],
    why: 'They may look for updates or run plugins, and can’t be tested with Debian’s packages.',
  },
  {
    lines: [
      ...[
        'docker compose ps',
        'docker compose logs',
        'docker compose config -q',
        'docker compose images',
      ],
      ...['docker compose config --services', 'docker compose top', 'docker compose ls'],
      'docker buildx ls',
    ],
    why: 'Compose files include others from hosts and outside the workspace. Builders may be remote.',
  },
  {
    lines: [
      ...[
        'docker inspect x',
        'docker image inspect x',
        'docker volume inspect x',
        'docker network inspect x',
      ],
      ...['docker history x', 'docker info'],
    ],
    why: 'They print environments, arguments and options, which contain credentials.',
  },
  {
    lines: [
      ...['git remote -v', 'git remote --verbose', 'git remote get-url origin', 'git config -l'],
      ...['git config --list', 'git config --list --name-only', 'git config --global --list'],
      ...['git config --get remote.origin.url', 'git config remote.origin.url'],
      ...[
        'git config --get-regexp url',
        'git config get remote.origin.url',
        'git config list',
        'git var -l',
      ],
    ],
    why: 'URLs and headers in the configuration contain tokens. Single settings that can’t are let through.',
  },
  {
    lines: [
      ...['git log --show-signature', "git log --format='%G?'", "git log --pretty='%GS'"],
      ...["git shortlog --group='format:%G?' HEAD", "git shortlog --group 'format:%+GK' HEAD"],
      ...["git tag -l --format='%(signature:grade)'", "git branch --format '%(signature)'"],
    ],
    why: 'They start the program that the configuration names for signatures.',
  },
  {
    lines: [
      'git describe --dirty',
      'git help log',
      'git lfs ls-files',
      'git log --stdin',
      'git diff --submodule=diff',
    ],
    why: 'They update the index, which runs a hook, start a viewer, an extension that reads `.lfsconfig`, or git in a submodule, or take revisions from elsewhere.',
  },
  {
    lines: [
      ...['md5sum -c x', 'sha1sum -c x', 'sha256sum --check x', 'sha512sum -c x', 'shasum -c x'],
      'cksum --check x',
    ],
    why: 'They open the files that the list names, wherever these are.',
  },
  {
    lines: ['man ls', 'man ./x', 'rpm -qa', 'top -b -n 1', 'nvim --version', 'crontab -l'],
    why: 'They write a cache, database or settings folder, or print what is outside the workspace. A page may include other files (`.so`).',
  },
  {
    lines: ['diff -l a b', 'fd -l x', 'fd --list-details x', 'file -z x'],
    why: 'They start other programs: `pr`, `ls`, decompressors.',
  },
  {
    lines: ['objdump -S x', 'objdump @x', 'nm @x', 'strings @x', 'readelf @x', 'size @x'],
    why: '`-S` prints the source files that an object file names. `@file` adds options from a file, such as plugins.',
  },
  {
    lines: ['shellcheck x', 'shellcheck -x x', 'shellcheck --norc -x x'],
    why: '`.shellcheckrc` or `-x` makes it read files that a script sources, outside the workspace, too.',
  },
  {
    lines: ['openssl x509 -in http://h/x', 'openssl x509 -in pkcs11:x', 'openssl dgst file:x'],
    why: 'A value may be a URL, of a host or a device.',
  },
  {
    lines: [
      "jq '$ENV' x",
      "jq '$ ENV' x",
      'jq env x',
      'yq \'load("x")\' y',
      'yq eval \'load("x")\' y',
      "yq 'eval(.a)' x",
    ],
    why: 'Scripts may read the environment and other files, or evaluate text.',
  },
  {
    lines: [
      'ps e',
      'ps auxe',
      'ps -o environ',
      'ps -eo pid,environ',
      ...['ps -auxe', 'ps -axe', 'ps -e -xf', 'ps -ae -uww', 'ps -ew -u', 'ps -ef -u -a'],
      'set',
      'export',
      'export -p',
      'printenv',
      'env',
    ],
    why: 'They print environments.',
  },
  {
    lines: [
      'hostname -f',
      'ip -r route',
      'lsof -i :3000',
      'lsof -n -i @host',
      'netstat -r',
      'netstat -a',
      'ss dst host',
    ],
    why: 'They ask a name server.',
  },
];
