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
+ lsof -i :3000
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
+ git remote -v
+ git remote get-url origin
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
+ git config --list
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
+ npm ls
+ npm ls --depth=0
+ npm ls react
+ npm outdated
+ npm view react version
+ npm config get registry
+ npm root
+ python3 --version
+ python --version 2>&1
+ pip list
+ pip show requests
+ pip freeze
+ cargo --version
+ cargo tree
+ cargo tree -i serde
+ cargo metadata --no-deps --format-version 1
+ rustc --version
+ go version
+ go env GOPATH
+ go list ./...
+ go list -m all
+ go doc fmt.Println
+ java -version
+ docker ps
+ docker ps -a
+ docker images
+ docker logs web
+ docker logs --tail 100 web
+ docker compose ps
+ docker compose logs --tail=50 api
+ docker inspect web
+ kubectl get pods
+ kubectl get pods -n prod -o wide
+ kubectl describe pod web-1
+ kubectl logs web-1 --tail=100
+ kubectl config current-context
+ terraform version
+ gh pr list
+ gh pr view 12
+ gh issue list --state open
+ gh run list --limit 5
+ make --version
+ cmake --version
+ gcc --version
+ tsc --version
+ brew list
+ shellcheck scripts/build.sh
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
`
  .trim()
  .split('\n');
