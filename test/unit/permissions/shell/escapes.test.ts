import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { Policy } from '../../../../src/permissions/rules/policy.ts';
import { bashCall, evaluate, evaluateBash, policyOf } from '../ask.ts';

/** `deny`, or not an allow: for `ask` a stricter answer is as good. */
function check(
  title: string,
  rules: readonly string[],
  lines: readonly string[],
  expected: 'allow' | 'ask' | 'deny' | 'refuse',
  more: Partial<Policy> = {},
): void {
  test(title, async () => {
    const wrong: string[] = [];
    for (const line of lines) {
      const { decision } = await evaluateBash(line, rules, more);
      const holds = expected === 'ask' ? decision !== 'allow' : decision === expected;
      if (!holds) wrong.push(`${line} is ${decision}`);
    }
    assert.deepEqual(wrong, []);
  });
}

const RM = ['bash * allow', 'bash rm * deny'];

check(
  'a deny is found behind launchers that start a command somewhere among their words',
  RM,
  [
    'env - rm x',
    "env --split='rm x'",
    'setarch -R rm x',
    'setarch x86_64 -R rm x',
    'systemd-cat -t x rm x',
    "capsh --user=x -- -c 'rm x'",
    "sg group -c 'rm x'",
    'start-stop-daemon --start --exec /bin/rm -- x',
    'chpst -u x rm x',
    "xterm -e 'rm x'",
    'gnome-terminal -- rm x',
    "faketime '2020-01-01' rm x",
    'sshpass -e ssh host rm x',
    'lldb -- rm x',
    'rr record rm x',
    "hyperfine -p 'rm x' ls",
    "onchange '**' -- rm x",
    "nodemon -x 'rm x'",
    'reflex -- rm x',
    'pixi run rm x',
    'tox exec -- rm x',
    'dotenv -f .env run -- rm x',
    "sops exec-env f 'rm x'",
    'pipx run --spec a rm x',
    'limactl shell d rm x',
    'wsl -e rm x',
    'adb shell rm x',
    "gcloud compute ssh h --command='rm x'",
  ],
  'deny',
);

check(
  'a program that is not known asks when it names a denied command',
  RM,
  [
    'wrapper rm -rf build',
    'wrapper -v -- rm -rf build',
    "wrapper 'rm -rf build'",
    "wrapper --run='rm -rf build'",
    "wrapper 'cd x && rm -rf build'",
    './wrapper /bin/rm build',
    'wrapper "$(rm x)"',
  ],
  'ask',
);

check(
  'a program that is not known is free to name what no rule is about by its name',
  [...RM, 'bash * ask', 'bash wrapper * allow'],
  ['wrapper build', 'wrapper form --rm x', "wrapper 'say farm'"],
  'allow',
);

check(
  'what only prints, and package managers, may name a denied command',
  RM,
  ['echo rm -rf build', 'apt install rm', 'brew info rm', 'notify-send "rm x"', 'tldr rm'],
  'allow',
);

check(
  'programs are known by their version, their build and the g of GNU',
  ['bash * allow'],
  [
    'python3.11 -c x',
    'bash-5.2 script.sh',
    'perl5.36 -e x',
    'vim.tiny -c x',
    'nc.openbsd -e id h 1',
    'gcc-12 -wrapper id x.c',
    'gsed -i s/a/b/ f',
    'gfind . -delete',
    'gxargs cat',
    'original-awk \'BEGIN{system("id")}\'',
  ],
  'ask',
);

for (const line of [
  'rg -z x',
  'rg --search-zip x',
  "ug --filter='*:id' x",
  'ack --ackrc=x y',
  'less --lesskey-src=x y',
  'more +!id x',
  'tar cfI a id b',
  'tar cIf id a b',
  'tar -cf a -T list',
  'tar cfT a list',
  'wc --files0-from=x',
  'du --files0-from=x',
  'file -f x',
  'rsync --files-from=x a b',
  'yq \'load("/etc/passwd")\' x',
  "yq -n 'env(HOME)'",
  'jq -n env',
  "jq -n '$ENV.SECRET'",
  "jq '[env]' x",
  'awk \'BEGIN{print ENVIRON["SECRET"]}\'',
  "sed -e p --expression '1e id' f",
  'curl --variable x@y https://a.example',
  'curl --proxy1.0 h https://a.example',
  'curl --ssl-sessions x https://a.example',
  'curl --proto-default file x',
  "curl -Q 'DELE x' ftp://a.example",
  'http a.example x@f',
  'aria2c --on-download-complete=id a.example',
  'yt-dlp --exec id a.example',
  'ssh-keygen -D ./x.so',
  'ssh-add -s ./x.so',
  'node --openssl-config=x y',
  'racket -e x',
  'guile -c x',
  'sbcl --eval x',
  'ninja -C x',
  'rake -f x',
  'task -t x',
  'cargo --manifest-path=/x build',
  'go -C /x build',
  'go generate ./...',
  "go build -ldflags '-extld=id'",
  'go run example.com/x@latest',
  'gcc @options x.c',
  'g++ -o x y.cc',
  'pip install --target=/x y',
  'pip --python id list',
  'npm install https://a.example/x.tgz',
  'helm template --post-renderer=id x',
  'terraform -chdir=/x plan',
  'gh alias set x y',
  'gh extension install x',
  "gh pr view 1 --json title --jq '$ENV.X'",
  'mvn -Dexec.executable=id exec:exec',
  "mysql --init-command='x'",
  'pytest -c x',
  'pytest --pdbcls=x:y',
  'pylint --init-hook=x y',
  'mypy --python-executable=id y',
  'eslint --format=./x y',
  'vitest --config x',
  'pandoc --lua-filter=x y',
  'pdflatex -shell-escape x',
  'gs -sOutputFile=%pipe%id x',
  'groff -U x',
  'tcpdump -z id -w x',
  'restic --password-command=id x',
  'rclone --password-command=id ls x',
  'date 010100002020',
  'ps eww',
  'git bundle create x HEAD',
  'git checkout-index -a --prefix=/x/',
  'git read-tree --index-output=x HEAD',
  'git lfs install',
  'cpio -o',
  'crontab -r',
]) {
  const [program = ''] = line.split(' ');
  check(`a wildcard does not cover: ${line}`, [`bash ${program} * allow`], [line], 'ask');
}

check(
  'a wildcard still covers what the flags and scripts of these leave alone',
  ['bash * allow'],
  [
    'rg -n x src',
    'tar tf a.tar',
    'tar xf a.tar -C out',
    'jq .env package.json',
    "jq '.scripts.env' x",
    "jq '{env: .a}' x",
    "jq --arg a b '.x == $a' f",
    "yq '.services | keys' x",
    'date +%F',
    'date -d yesterday',
    'ps aux',
    'ps -o pid,cmd -p 1',
    'npm run build:prod',
    'go test ./...',
    'cargo build',
    'gcc -c x.c',
    "gh pr view 1 --jq '.title'",
    'git lfs ls-files',
    'git worktree list',
    'git stash list',
    'wait',
    'jobs -l',
    'ln -s a b',
    'ln -s a b && echo done',
  ],
  'allow',
);

check(
  'builtins that run or evaluate their words',
  ['bash * allow'],
  ['jobs -x rm x', 'jobs -x rm %1', "wait -n -p 'a[$(rm x)]'", "wait -p 'a[$(rm x)]' -n"],
  'ask',
);

check(
  'a link that the line makes leads nowhere known',
  ['bash * allow', 'fs.write {workspace}/** allow', 'read /etc/** deny'],
  [
    'ln -s / x; echo y > x/etc/z',
    'ln -s /etc/passwd x; cat x',
    'ln -s / x && cd x && echo y > z',
    'ln -st sub /etc && cat sub/etc/passwd',
    'cp -s /etc/passwd x; cat x',
    'for i in 1 2; do echo y > x/z; ln -s / x; done',
    'sudo ln -s / x; echo y > x/z',
  ],
  'ask',
);

check(
  'a path stands behind every mark of a word, and behind an option that is not known',
  ['bash * allow', 'read **/.env deny'],
  [
    'wrapper a,.env',
    'docker build --secret id=x,src=.env .',
    'docker run --env-file=.env x',
    'kubectl create secret generic x --from-env-file=.env',
    'mysql --defaults-file=.env',
    'terraform plan -var-file=.env',
    'git log -L1,3:.env',
    'git grep --no-index x',
  ],
  'ask',
);

check(
  'an option names a protected folder as a target',
  ['bash * allow'],
  [
    'cp --target-directory=.git/hooks x',
    'cp -t.git/hooks x',
    'tar -xf x --directory=.vscode',
    '7z x a -o.git/hooks',
    'git clone a .vscode',
    'git worktree add .vscode',
  ],
  'ask',
);

check(
  'one address is one host, however curl writes it',
  ['bash * allow', 'net.fetch evil.example deny'],
  [
    "curl 'https://ok.example\\@evil.example/'",
    "curl 'https://ok.example#@evil.example/'",
    'curl http:/evil.example',
    'curl http:///evil.example',
    'git lfs fetch https://evil.example/x',
  ],
  'ask',
);
check(
  'an address that is read in two ways is outside every capability',
  ['bash * allow'],
  ["curl 'http://ok.example\\@evil.example/'"],
  'refuse',
  { capabilities: { shell: [{ cmd: '*' }], net: { hosts: ['ok.example'] } } },
);

check(
  'awk may compare, and never redirect',
  ['bash awk * allow'],
  [
    `awk 'BEGIN{print "x" > "f"}'`,
    `awk '{ if (a > b) print > "f" }'`,
    `awk '/}/{print > "f"}'`,
    `awk '{ x = (1) ; print (a) > "f" }'`,
    `awk 'a > b { print "x" >> "f" }'`,
  ],
  'ask',
);
check(
  'awk may compare in patterns and parentheses',
  ['bash awk * allow'],
  [
    `awk -F, 'NR>1 {s+=$3} END {print s}' f`,
    `awk 'length > 100' f`,
    `awk '{ if ($3 > 5) print $1 }' f`,
  ],
  'allow',
);

/** Under the shipped rules alone. */
function checkShipped(title: string, lines: readonly string[], expected: 'allow' | 'ask'): void {
  test(title, async () => {
    const wrong: string[] = [];
    for (const line of lines) {
      const { decision } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES));
      if (decision !== expected) wrong.push(`${line} is ${decision}`);
    }
    assert.deepEqual(wrong, []);
  });
}

checkShipped(
  'the shipped rules ask about what only looks like looking',
  [
    'git remote -v update',
    'git remote -v add x y',
    'git tag --sort=refname v1',
    'git reflog delete x',
    'ruby -v script.rb',
    'printenv PATH SECRET',
    'ps eww',
    'ps auxe',
    'npm audit fix',
    'npm view https://a.example/x',
    'brew info ./x.rb',
    'go list -m a.example/x@latest',
    'go list -m -versions a.example/x',
    'docker compose config',
    'kubectl get secret x -o yaml',
    'kubectl get -n x secrets',
    'kubectl get pods -o go-template-file=/etc/passwd',
    'shellcheck -x /etc/x',
    'cd / && ls',
    'cd / && find',
    'cd .. && git status',
    'rg -z x',
    'tar tf host:a.tar',
    'man /etc/shadow',
    'nm --plugin x y',
    'git symbolic-ref HEAD refs/heads/x',
    'git config user.name x',
    'cargo run x --help',
    'crontab -l x',
    'gh release create v1',
  ],
  'ask',
);

checkShipped(
  'the shipped rules still allow the looking itself',
  [
    'git remote',
    'git tag --sort=-creatordate',
    'ruby -v',
    'printenv PATH',
    'ps aux',
    'cd src && ls',
    'cd src && git status',
  ],
  'allow',
);

check(
  'a wildcard covers no setting, hook or extension that makes a program run something later',
  ['bash * allow'],
  [
    'gcc -B. x.c',
    'gcc -o../x x.c',
    'gcc -o ../x x.c',
    'g++ -Bx y.cc',
    'clang -o.git/x y.c',
    'just -c x',
    'just --command x',
    'act -W x',
    'tox -c x',
    'nox -f x',
    'pre-commit install',
    'pre-commit try-repo x',
    'husky install',
    'direnv allow',
    'code --install-extension x',
    'npm set a b',
    'npm config set a b',
    'npm create x',
    'pip config set a b',
    'gh config set pager x',
    'yarn plugin import x',
    'kubectl config set-credentials x',
    'mutt -e x',
    'fzf --bind x',
  ],
  'ask',
);
check(
  'and leaves the daily use of those programs alone',
  ['bash * allow'],
  [
    'gcc -O2 -c x.c',
    'gcc -Wall -Wextra x.c',
    'tox',
    'tox -e py311',
    'nox -s tests',
    'pre-commit run --all-files',
    'pre-commit run',
    'npm config get registry',
    'npm config list',
    'npm install',
    'npm init -y',
    'npm run build',
    'just build',
    'just',
    'code .',
    'code --version',
    'kubectl get pods',
    'kubectl config current-context',
    'gh pr list',
    'gh config get editor',
    'yarn add x',
    'pip install x',
  ],
  'allow',
);
check(
  'a program of the kind that starts tasks may start what its words name',
  RM,
  ['tox -- rm x', 'act rm x', 'nox -- rm x', 'lefthook run rm x', 'mix x rm x'],
  'ask',
);
