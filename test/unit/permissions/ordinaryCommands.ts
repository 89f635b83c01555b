/**
 * Ordinary commands from the documentation and scripts of real projects, and what a careful
 * engineer would want of the shipped rules: `+` runs without a question, `?` asks. Reading what is
 * in the workspace runs; running a project's own code, writing, and speaking to others asks.
 */
export const ORDINARY_COMMANDS: readonly string[] = `
+ ls
+ ls -la
+ ls -lah src
+ ls -R src | head -50
+ ls src/ test/
+ ls *.md
+ ls -1 | wc -l
+ pwd
+ cd src && ls
+ cd packages/core && cat package.json
+ cat package.json
+ cat src/index.ts
+ cat README.md CHANGELOG.md
+ cat src/a.ts | head -100
+ cat -n src/main.c
+ head -20 README.md
+ head -n 50 src/index.ts
+ tail -n 100 logs/app.log
+ tail -50 CHANGELOG.md
+ wc -l src/index.ts
+ wc -l src/*.ts
+ file dist/app.bin
+ stat package.json
+ du -sh node_modules
+ du -sh * | sort -h
+ df -h
+ tree -L 2
+ tree -L 3 -I node_modules
+ tree -a -I '.git|node_modules'
+ which node
+ which python3 pip3
+ command -v docker
+ type git
+ whoami
+ uname -a
+ date
+ date +%Y-%m-%d
+ date -u +%Y-%m-%dT%H:%M:%SZ
+ echo hello
+ echo "done"
+ echo $PATH
+ echo "$HOME"
+ printf '%s\\n' hello
+ sleep 2
+ true
+ test -f package.json && echo yes
+ [ -d node_modules ] && echo present || echo missing
+ [[ -f tsconfig.json ]] && cat tsconfig.json
+ basename src/index.ts .ts
+ dirname src/index.ts
+ realpath src
+ id -u
+ nproc
+ uptime
+ ps aux
+ ps aux | grep node
+ ps -ef | grep -v grep | grep python
? lsof -i :3000
+ pgrep -f vite
+ grep -rn "TODO" src
+ grep -rn "TODO" src/ test/
+ grep -rn "useState" --include=*.tsx src
+ grep -ri "deprecated" docs
+ grep -n "export" src/index.ts
+ grep -c "test(" test/a.test.ts
+ grep -l "import React" src/App.tsx
+ grep -E "^(feat|fix)" CHANGELOG.md
+ grep -v "^#" requirements.txt
+ grep -A 5 -B 2 "class Foo" lib/foo.py
+ grep -oE '[0-9]+\\.[0-9]+' version.txt
+ rg TODO
+ rg TODO src
+ rg -n "function main" --type ts
+ rg -l "axios" -g '!node_modules'
+ rg --files | head
+ rg --files -g '*.rs' | wc -l
+ rg -i "error" logs
+ rg -C 3 "panic!" src
+ rg "foo\\(" --type py -n
+ rg -uu "secret_name" src
+ find . -name "*.ts"
+ find . -type f -name '*.py' -not -path './venv/*'
+ find src -name '*.test.ts' | wc -l
+ find . -maxdepth 2 -type d
+ find . -name node_modules -prune -o -name '*.js' -print
+ find . -mtime -1 -type f
+ find . -size +1M
+ fd -e ts
+ fd config src
+ sed -n '1,50p' src/index.ts
+ sed -n 10,20p README.md
+ sed 's/foo/bar/g' config.txt
+ sed -n '/^## /p' README.md
+ awk '{print $1}' access.log
+ awk -F: '{print $1}' data.txt
+ awk 'NR==10' file.txt
+ sort names.txt | uniq -c
+ sort names.txt | uniq -c | sort -rn | head -10
+ sort -u f
+ cut -d, -f1 data.csv
+ cut -d: -f2 a.txt | sort -u
+ tr -d '\\r' < file.txt
+ diff a.txt b.txt
+ diff -u old.json new.json
+ diff -r src lib
+ cmp a.bin b.bin
+ comm -12 a.txt b.txt
+ md5sum dist/app.tar
+ sha256sum package-lock.json
+ xxd -l 64 a.bin
+ hexdump -C a.bin | head
+ strings dist/app | head
+ jq . package.json
+ jq '.dependencies' package.json
+ jq -r '.version' package.json
+ jq '.scripts | keys' package.json
+ cat package.json | jq '.name'
+ yq '.services' docker-compose.yml
+ column -t -s, data.csv
+ base64 -d token.txt
+ nl -ba src/index.ts | sed -n '10,30p'
+ git status
+ git status -s
+ git status --porcelain
+ git log
+ git log --oneline -10
+ git log --oneline --graph --all
+ git log -p -1
+ git log --since="2 weeks ago" --author=jane
+ git log --stat -3
+ git log main..HEAD --oneline
+ git log --follow src/index.ts
+ git log -n 5 --pretty=format:'%h %s'
+ git diff
+ git diff --stat
+ git diff --cached
+ git diff --staged --name-only
+ git diff HEAD~1
+ git diff main...feature -- src
+ git diff --name-only HEAD~3 HEAD
+ git show
+ git show HEAD
+ git show HEAD~2:src/index.ts
+ git show --stat HEAD
+ git branch
+ git branch -a
+ git branch -vv
+ git branch --show-current
? git remote -v
? git remote get-url origin
+ git rev-parse HEAD
+ git rev-parse --abbrev-ref HEAD
+ git rev-parse --show-toplevel
+ git ls-files
+ git ls-files | wc -l
+ git ls-files '*.ts'
+ git blame src/index.ts
+ git blame -L 10,20 src/index.ts
+ git describe --tags
+ git tag
+ git tag -l 'v1.*'
+ git stash list
+ git shortlog -sn
+ git config --get user.name
? git config --list
+ git reflog
+ git merge-base main HEAD
+ git grep "TODO"
+ git grep -n "main(" -- src
+ git worktree list
+ git cat-file -t HEAD
+ git --version
+ git --no-pager log -5
+ git --no-pager diff
+ git status && git diff
+ git log --oneline | head -5
+ git diff HEAD --name-only | grep ts
+ git rev-list --count HEAD
+ node --version
+ node -v && npm -v
+ npm --version
? npm ls
? npm ls --depth=0
? npm ls react
? npm outdated
? npm view react version
? npm config get registry
? npm root
+ python3 --version
+ python --version 2>&1
+ pip list
+ pip show requests
? pip freeze
? cargo --version
? cargo tree
? cargo tree -i serde
? cargo metadata --no-deps --format-version 1
? rustc --version
? go version
? go env GOPATH
? go list ./...
? go list -m all
? go doc fmt.Println
+ java -version
+ docker ps
+ docker ps -a
+ docker images
+ docker logs web
+ docker logs --tail 100 web
? docker compose ps
? docker compose logs --tail=50 api
? docker inspect web
? kubectl get pods
? kubectl get pods -n prod -o wide
? kubectl describe pod web-1
? kubectl logs web-1 --tail=100
? kubectl config current-context
? terraform version
? gh pr list
? gh pr view 12
? gh issue list --state open
? gh run list --limit 5
+ make --version
+ cmake --version
+ gcc --version
+ tsc --version
? brew list
? shellcheck scripts/build.sh
+ ls -la && git status && cat package.json
+ cat a.txt 2>/dev/null || echo none
+ ls node_modules/.bin | head -20
+ cd /nonexistent/workspace && git status
+ cat tsconfig.json | grep strict
+ timeout 10 git status
+ time ls
+ set -e; ls
+ seq 1 10
+ ls -t | head -1
+ cat .gitignore
+ cat .env.example
+ cat src/../package.json
+ head -c 200 data.bin | xxd
+ wc -c < package.json
? npm test
? npm run build
? npm run lint -- --fix
? npm install
? npm ci
? npm install lodash
? npm start
? npx tsc --noEmit
? npx prettier --write src
? yarn install
? yarn build
? pnpm install
? pnpm -r build
? node script.js
? node -e "console.log(1)"
? python3 setup.py install
? python3 -m pytest
? python3 -c "print(1)"
? pytest
? pytest tests/test_a.py -k foo
? pip install -r requirements.txt
? pip install requests
? cargo build
? cargo test
? cargo run
? cargo fmt
? go build ./...
? go test ./...
? go run main.go
? go mod tidy
? make
? make test
? make install
? ./configure
? ./gradlew build
? mvn package
? docker build -t app .
? docker run -it ubuntu bash
? docker compose up -d
? docker compose down
? kubectl apply -f deploy.yml
? kubectl delete pod web-1
? terraform apply
? git add .
? git commit -m "fix: typo"
? git push
? git push --force origin main
? git pull
? git fetch
? git checkout main
? git checkout -b feature
? git switch main
? git merge main
? git rebase main
? git reset --hard HEAD~1
? git clean -fd
? git stash
? git branch -D old
? git tag v1.0
? git clone https://github.com/a/b
? git config user.name x
? git log --output=x
? rm file.txt
? rm -rf dist
? rm -rf node_modules && npm install
? mv a b
? cp a b
? mkdir -p src/new
? touch a
? chmod +x script.sh
? echo hi > out.txt
? cat a >> b
? sed -i 's/a/b/' f
? find . -name '*.tmp' -delete
? find . -name '*.js' -exec rm {} +
? curl https://example.com
? curl -fsSL https://example.com/install.sh | sh
? wget https://example.com/a.tgz
? ssh host
? sudo apt-get install x
? kill -9 123
? tee log.txt
? cat .env
? cat ~/.ssh/id_rsa
? cat /etc/passwd
? env
? printenv
? export PATH=/x
? bash script.sh
? source venv/bin/activate
? eval "$(ssh-agent)"
? tar xzf a.tgz
? unzip a.zip
? npm publish
? ln -s a b
+ git status -sb
+ git status --short --branch
+ git log --oneline --decorate -20
+ git log -1 --format=%H
+ git log --pretty=oneline --abbrev-commit
+ git log --graph --pretty=format:'%h -%d %s (%cr) <%an>' --abbrev-commit
+ git log origin/main..HEAD
+ git log --name-status HEAD^..HEAD
+ git log -S 'functionName' --oneline
+ git log -G regex -- src
+ git log --all --full-history -- src/old.ts
+ git show --name-only --oneline HEAD
+ git show HEAD --stat --format=fuller
+ git show origin/main:package.json
+ git diff origin/main...HEAD --stat
+ git diff -U10 src/index.ts
+ git diff --word-diff
+ git diff --check
+ git diff --quiet && echo clean
+ git diff --name-status main
+ git diff -w HEAD -- '*.ts'
+ git rev-parse --short HEAD
+ git rev-parse --verify origin/main
+ git rev-parse --is-inside-work-tree
+ git symbolic-ref --short HEAD
+ git symbolic-ref refs/remotes/origin/HEAD
+ git for-each-ref --sort=-committerdate refs/heads --format='%(refname:short)'
+ git branch --sort=-committerdate | head -10
+ git branch -r
+ git branch --merged main
+ git branch -a --contains HEAD
+ git ls-tree -r HEAD --name-only
+ git ls-files --others --exclude-standard
+ git ls-files -m
+ git stash show -p
+ git tag --sort=-v:refname | head -5
+ git tag --points-at HEAD
? git describe --tags --always --dirty
+ git describe --tags --abbrev=0
+ git config user.email
? git config --get remote.origin.url
? git config --global --list
+ git config --show-origin --get core.autocrlf
+ git remote show
+ git cat-file -p HEAD
+ git cat-file -p HEAD^{tree}
+ git check-ignore -v dist/a.js
+ git submodule status
+ git submodule
? git var -l
+ git fsck
+ git shortlog -sne --all | head
+ git reflog -5
+ git blame -w -C src/a.ts | head -40
+ git grep -n -i 'todo' -- '*.ts' '*.tsx'
+ git --no-pager log --oneline -n 20
? git -c color.ui=false status
+ git count-objects -vH
+ git rev-list --count main..HEAD
? git ls-remote --heads origin
? git fetch --all --prune
? git pull --rebase
? git commit --amend --no-edit
? git cherry-pick abc123
? git restore --staged src/a.ts
? git checkout -- src/a.ts
? git stash pop
? git worktree add ../x main
? git apply fix.patch
? git rm old.ts
? git mv a.ts b.ts
? gh pr view 123 --json title,body,files
? gh pr diff 123
? gh pr checks 123
? gh pr list --state merged --limit 20 --json number,title
? gh issue view 45 --comments
? gh issue list --label bug
? gh run list --workflow ci.yml --limit 3
? gh run view 123 --log-failed
? gh release list
? gh release view v1.0
? gh workflow list
? gh repo view owner/repo
? gh search issues 'crash in:title' --repo owner/repo
? gh label list
? gh pr create --fill
? gh pr merge 12 --squash
? gh issue create --title x --body y
? gh api repos/o/r/pulls/1/comments
? gh workflow run ci.yml
? npm run
+ npm ls --all --depth=1
? npm ls typescript --json
? npm view react versions --json
? npm outdated --long
? npm audit --audit-level=high
? npm explain lodash
? npm config list
? npm prefix
? npm query ':root > *'
? npm fund
? npm doctor
? npm pkg get scripts
? npm whoami
? pnpm list --depth 0
? pnpm why react
? pnpm outdated
? yarn why react
? yarn --version
+ bun --version
? bun pm ls
? npm run dev
? npm test -- --watch=false
? npm run test:unit -- src/a.test.ts
? npx vitest run
? npx eslint src --ext .ts
? npx playwright test
? pnpm --filter web build
? pnpm add -D vitest
? yarn add lodash
? bun test
? bun install
? bun run build
? node --test
? node dist/index.js
? tsc --noEmit
? tsc -p tsconfig.json --noEmit
? eslint .
? prettier --check .
? jest --coverage
? vitest run
? cargo tree -d
? cargo tree --edges features
? cargo metadata --format-version 1 --no-deps | jq '.packages[].name'
? rustup show
? rustup toolchain list
? rustc --print sysroot
? rustc --version --verbose
? cargo --list
? cargo check
? cargo clippy -- -D warnings
? cargo fmt --check
? cargo test --workspace
? cargo build --release
? cargo add serde
? cargo doc --open
? go env
? go env GOROOT GOPATH
? go list -m -json all
? go list -f '{{.Dir}}' ./...
? go mod graph | head
? go mod why -m github.com/pkg/errors
? go doc -all net/http
? go vet -h
+ gofmt -l .
+ gofmt -d main.go
? go test ./... -run TestFoo -v
? go vet ./...
? go build -o bin/app ./cmd/app
? gofmt -w .
? golangci-lint run
? python -m pip list
? python3 -m pip show requests
? pip index versions requests
? pip config list
? uv --version
? uv pip list
? uv tree
? uv python list
? poetry show --tree
? poetry env info
? poetry check
? pytest --version
? ruff --version
? ruff check .
? ruff check src --output-format=concise
? ruff format --check .
? ruff rule E501
? pytest -x -q tests
? python -m pytest -k foo
? tox -e py311
? nox -s tests
? mypy src
? ruff check --fix .
? ruff format .
? black .
? black --check .
? uv sync
? uv run pytest
? poetry install
? poetry run pytest
? python manage.py migrate
? pre-commit run --all-files
? make -j8
? make -n
? make -n test
? make help
? cmake -S . -B build
? cmake --build build
? ninja -C build
? meson setup build
? bazel build //...
? bazel query //...
+ ninja --version
? bazel version
? ./gradlew test
? gradle build
? gradle --version
? mvn --version
? mvn -v
? mvn test -q
? mvn dependency:tree
? dotnet --version
? dotnet --info
? dotnet --list-sdks
? dotnet list package
? dotnet build
? dotnet test
? dotnet run
+ docker ps --format '{{.Names}}\\t{{.Status}}'
+ docker images --format '{{.Repository}}:{{.Tag}}'
+ docker logs -f --tail 50 api
+ docker system df
? docker network inspect bridge
+ docker volume ls
? docker compose ls
? docker compose images
? docker compose top
? docker compose version
+ docker --version
? docker buildx ls
+ docker context ls
+ docker stats --no-stream
? docker exec -it web sh
? docker compose build
? docker compose restart api
? docker stop web
? docker pull redis:7
? kubectl get all -n default
? kubectl get svc,deploy -A
? kubectl get nodes -o wide
? kubectl get events --sort-by=.lastTimestamp
? kubectl get pod web -o yaml
? kubectl logs -f deploy/web -c app
? kubectl explain pod.spec
? kubectl api-resources
? kubectl config get-contexts
? kubectl cluster-info
? kubectl rollout status deploy/web
? kubectl rollout history deploy/web
? kubectl diff -f k8s/
? helm ls -A
? helm status web
? helm history web
? helm version
? helm upgrade --install web ./chart
? kubectl scale deploy web --replicas=3
? kubectl exec -it web -- sh
? kubectl port-forward svc/web 8080:80
? terraform fmt -check
? terraform fmt -check -recursive -diff
? terraform validate
? terraform providers
? terraform output
? terraform state list
? terraform workspace list
? terraform init
? terraform plan
? terraform fmt
+ find . -type f | wc -l
+ find . -type f -name '*.ts' | xargs wc -l
+ find . -name '*.md' -newer README.md
+ find src -type f -exec wc -l {} +
+ find . -type f -name '*.py' -exec grep -l TODO {} +
+ find . -path ./node_modules -prune -o -name '*.json' -print
+ find . -empty -type d
+ find . -name '*.log' -mtime +7 -print
+ ls | xargs wc -l
+ ls -lt | head
+ ls -la .github/workflows
+ ls -laS dist | head -20
+ git ls-files | xargs wc -l
+ git ls-files | xargs wc -l | tail -1
+ git ls-files '*.ts' | xargs grep -n TODO
+ rg -l foo | xargs sed -n '1,5p'
+ rg --files | rg test
+ rg -n 'foo|bar' src --glob '*.ts' -A 3
+ rg -c TODO --sort path
+ rg -nU 'a\\nb' src
+ rg --type-list
+ rg -t py 'import os'
+ grep -rIn --exclude-dir=node_modules --exclude-dir=.git 'foo' src
+ grep -rnw 'src' -e 'pattern'
+ grep -Pzo 'a\\nb' file.txt
+ grep -rl foo src | xargs grep -n bar
+ grep -c '' src/a.ts
+ cat package.json | grep '"version"'
? cat a.json | python3 -m json.tool
+ cat VERSION
+ if [ -f package.json ]; then cat package.json; fi
+ test -d node_modules || echo missing
+ [[ -d .git ]] && git status -s
+ pwd && ls
+ (cd packages/a && ls)
+ cd packages/a && git log --oneline -3 -- .
+ cd src; ls; cd ..
? mkdir -p /tmp/x 2>/dev/null; ls
? npm ls 2>/dev/null | head -20
? npm ls 2>&1 | tail -20
? node -p process.version
? node -e 'console.log(process.version)'
? python3 -c 'import sys; print(sys.version)'
+ ls nonexistent 2>/dev/null || true
+ wc -l < src/a.ts
+ sort -t, -k2 -n data.csv | head
+ sort data.txt | uniq -d
+ cut -f1,3 -d$'\\t' data.tsv
+ awk -F, 'NR>1 {s+=$3} END {print s}' data.csv
+ awk '/start/,/end/' log.txt
+ awk '{print $1, $3}' f | sort | uniq -c
+ awk 'length > 100' src/a.ts
+ awk 'NR>=10 && NR<=20' src/a.ts
+ sed -n '/begin/,/end/p' f
+ sed -n '$=' f
+ sed -e 's/a/b/' -e 's/c/d/' f
+ sed 's#/a/#/b/#g; s/x//' f | head
+ sed '/^$/d' f
+ sed '/^#/d;s/ *$//' f
+ sed -n '100,$p' f
+ sed -E 's/([a-z]+)=([0-9]+)/\\2/' f
+ tr 'a-z' 'A-Z' < f
+ tr -s ' ' < f | cut -d' ' -f2
+ paste -sd, f
+ column -t f
+ nl f | head
+ tac f | head
+ diff -u a b | head -50
+ diff -rq dist build
+ diff --color=always -u a b
+ cmp a b && echo same
+ jq -r '.dependencies | keys[]' package.json
+ jq '.scripts' package.json
+ jq -c '.[] | {id, name}' data.json
+ jq -r '.[] | [.a,.b] | @csv' data.json
+ jq -s 'length' data.jsonl
+ jq --arg v 1 '.version = $v' package.json
+ jq 'select(.level=="error")' log.jsonl | head
+ yq '.jobs | keys' .github/workflows/ci.yml
+ yq -r .version pubspec.yaml
+ tar tf a.tar
+ tar tzf a.tgz | head
+ tar -tvf a.tar.gz
+ unzip -l a.zip
+ unzip -p a.jar META-INF/MANIFEST.MF
+ zipinfo a.zip
+ zcat log.gz | head
+ zgrep error log.gz
+ gzip -l a.gz
+ gzip -dc a.gz | head
+ xz -l a.xz
+ openssl x509 -in cert.crt -noout -text
+ openssl version
+ openssl dgst -sha256 a.bin
+ openssl rand -hex 16
? sha256sum -c SHASUMS
+ md5sum a b
+ file -b a.bin
+ stat -c %s a.bin
+ du -h --max-depth=1
+ df -h .
+ nm -D lib.so | head
+ objdump -d a.o | head
+ readelf -h a.out
? ldd a.out
+ which -a python
+ type -a node
+ command -v jq >/dev/null && echo yes
? hash node
? env | grep -i node
+ printenv NODE_ENV
+ date +%s
+ date -u
+ ps -ef | grep node | grep -v grep
+ ps -o pid,ppid,cmd -p 1
+ pgrep -fl node
+ lsof -i -P -n | grep LISTEN
+ lsof -nP -iTCP:3000 -sTCP:LISTEN
+ ss -tlnp
+ netstat -tulpn
? top -b -n 1 | head -20
+ free -h
+ uname -srm
+ lsb_release -a
+ cat /etc/os-release
+ id
+ hostname
+ ulimit -n
+ locale
+ tty
+ tput cols
? man ls | head -50
+ node --help
? git help commit
? npm help install
? cargo help
? cargo build --help
+ docker run --help
? kubectl --help
? go help build
? pytest --help
+ make --help
+ tree -L 2 -I 'node_modules|dist'
+ tree -d src
+ curl -s localhost:3000/health
+ curl -sI http://localhost:8080
? curl -s https://api.github.com/repos/o/r
? curl -X POST localhost:3000/api -d '{}'
? ping -c 1 localhost
+ xxd -p a.bin | head
+ od -An -tx1 -N16 a.bin
+ base64 < a.bin | head -c 100
+ shasum -a 256 a.bin
? code --version
? brew info node
+ apt list --installed
+ apt-cache policy nodejs
+ dpkg -l | grep ssl
+ dpkg -L bash
? rpm -qa | head
+ systemctl status nginx
+ journalctl -u nginx -n 50 --no-pager
? crontab -l
+ sqlite3 --version
? shfmt -w scripts
? chmod 755 a.sh
? cp -r a b
? mv src/a.ts src/b.ts
? mkdir dist
? echo x >> .gitignore
? sed -i '' 's/a/b/' f
? rm -f a.log
? touch src/new.ts
? kill %1
? npm link
? pip install -e .
? tar czf a.tgz src
? ln -sf a b
? open index.html
? code .
? vim f
? python3 -m http.server 8000
? ssh user@host uptime
? rsync -av a/ b/
? scp a host:b
? psql -c 'select 1'
? redis-cli ping
? sqlite3 app.db '.tables'
? aws s3 ls
? gcloud config list
? az account show
+ git status --porcelain=v1 -b
+ git status --ignored
+ git log --oneline --first-parent main
+ git log --since=yesterday --oneline
+ git log --oneline -- package.json
+ git log --all --grep='fix(' --oneline
+ git log --tags --simplify-by-decoration --pretty='format:%ai %d'
+ git log -p --follow -- src/a.ts
+ git diff --stat HEAD~5
+ git diff --cached --stat
+ git diff --no-color -U3
+ git diff a.txt b.txt
+ git show -s --format=%ci HEAD
+ git show HEAD:package.json | jq .version
+ git branch --contains abc123
+ git remote
+ git rev-parse --short=8 HEAD
+ git ls-files src | head
+ git stash show -p stash@{0}
+ git config --get core.editor
+ git tag -n1
+ git check-attr -a src/a.ts
+ git log --oneline @{u}..
+ git grep -l useEffect -- '*.tsx'
+ git name-rev HEAD
? npm ls --depth=0 --json
? npm view typescript dist-tags
? npm outdated --json
? npm pkg get version
? npm run --json
? pnpm ls --depth=-1 -r
? pnpm --version
? yarn info react version
+ node --version && npm --version
? cargo tree -p serde -i
? cargo --version --verbose
? rustup show active-toolchain
? rustc --print=sysroot
? go env GOMODCACHE
? go list -deps ./cmd/app
? go doc strings.Builder
? pip list --outdated
+ pip --version
? poetry show --outdated
? ruff check --statistics .
? ruff format --diff .
+ docker ps -aq
+ docker images -q
? docker inspect --format '{{.State.Status}}' web
? docker compose logs -f web
+ docker network ls
? docker volume inspect data
? kubectl get pods -A
? kubectl get deploy web -o json | jq .spec
? kubectl get ingress -n prod
? kubectl describe svc web -n prod
? kubectl logs web-1 -c app --previous
? kubectl version --client
? gh pr list --author @me
? gh pr view 12 --comments
? gh pr status
? gh issue list --assignee @me
? gh run list
? gh repo view
? gh search prs --repo o/r 'is:open'
+ jq '.version' package.json
+ jq '.[0:5]' data.json
+ jq -e '.private == true' package.json
+ jq -r '.packages | keys | .[]' package-lock.json
+ jq --slurp '.[0] * .[1]' a.json b.json
+ yq -o=json . config.yaml
+ sed -n '1p' VERSION
+ sed -n '/BEGIN/,/END/p' cert.txt
+ sed -e 's/^[[:space:]]*//' f
+ sed 's/\\x1b\\[[0-9;]*m//g' log
+ awk '{print $NF}' f
+ awk '!seen[$0]++' f
+ awk 'NR % 2 == 0' f
+ awk '{ if ($3 > 10) print $1 }' f
+ awk -v OFS=, '{print $1,$2}' f
+ find . -type d -name __pycache__
+ find . -name '*.test.ts' -newer package.json
+ find src -name '*.ts' -o -name '*.tsx'
+ find . -name 'Dockerfile*'
+ grep -rL 'use strict' src
+ grep -o 'v[0-9.]*' CHANGELOG.md | head -1
+ grep -c . f
+ ls -1 src
+ ls --color=never
+ diff -y --suppress-common-lines a b
+ tree -I 'node_modules|.git' -L 3
+ du -sh .
+ du -ah src | sort -rh | head -20
+ ps aux --sort=-%mem | head
+ ps -p 1 -o comm=
+ cat Makefile | head -40
+ [ -f .env ] && echo yes
+ command -v node npm
? hostname -f
+ make --version | head -1
+ date +%Y%m%d-%H%M%S
+ column -t -s, a.csv | head
+ tr '\\n' ' ' < f
+ printf '%s\\n' a b c
+ echo aGVsbG8= | base64 -d
+ readlink -f node_modules/x
+ rg -l 'describe\\(' -g '*.test.ts'
+ rg --files-with-matches foo
+ rg --json foo src
+ fd -e md -d 2
+ fd '\\.test\\.ts$'
+ printenv PATH
+ echo $?
+ cat src/*.ts | wc -l
+ ls -lh *.log
+ diff -u <(sort a) <(sort b)
+ git diff --name-only | xargs ls -la
+ echo "branch: $(git branch --show-current)"
+ wc -l $(git ls-files '*.ts')
+ ls -d */
? git add -p
? git push -u origin feature
? git pull --ff-only
? git rebase --onto main a b
? git reset HEAD src/a.ts
? git stash apply
? git switch -c x
? git branch -m old new
? git config --global user.email a@b.c
? git bisect start
? git format-patch -1
? npm i -g pnpm
? npm test -- --coverage
? npm update
? npm exec -- tsc
? npm audit fix
? npx jest --watch
? pnpm dlx degit a/b
? yarn install --immutable
? yarn dlx x
? cargo build --locked
? cargo clippy --all-targets
? cargo fix
? go test -race ./...
? go get x@latest
? go mod vendor
? goimports -w .
? python3 script.py --flag
? pip install -U pip
? pytest -q
? mypy --strict src
? isort .
? tox
? uv venv
? uv lock
? make build
? cmake -B build -DCMAKE_BUILD_TYPE=Release
? ninja
? meson compile -C build
? docker exec web ls
? docker rm -f web
? docker push x
? kubectl apply -k overlays/prod
? kubectl exec web -- env
? kubectl get secret db -o yaml
? helm install x ./chart
? gh pr checkout 12
? gh issue close 1
? gh repo clone o/r
? gh auth token
? terraform apply -auto-approve
? rm -f *.log
? mkdir -p a/b
? cp .env.example .env
? chown -R me .
? sed -n 'w out' f
? find . -name '*.pyc' -delete
? xargs rm < list
? dd if=a of=b
? zip -r a.zip dist
+ curl -sS localhost:8080/health
? wget -qO- https://x.example
? rsync -az --delete a/ h:b
? dig x.example
? node --check a.js
? bundle install
? bash scripts/x.sh
? . ./env.sh
? env FOO=1 node x
? watch ls
? killall node
? crontab -e
? apt-get update
? set
? cat ~/.aws/credentials
? ls ~
? find / -name x
? head ~/.bashrc
? yq -i '.a = 1' f.yml
? cat a > b
? git show HEAD:.env
? rg --pre cat x
? gcloud projects list
? redis-cli keys '*'
? convert a b
? ssh-keygen -t ed25519
? tail -f /var/log/syslog
`
  .trim()
  .split('\n');
