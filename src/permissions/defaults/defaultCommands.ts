/** A read-only command, and the flags that keep it read-only. */
export type CommandRow = readonly [pattern: string, flags: string];

/** The flags of grep that neither write nor run anything. */
const GREP =
  '-A: -B: -C: -D: -E -F -G -H -I -L -P -R -T -U -V -Z -a -b -c -d: -e: -f: -h -i -l -m: -n -o -q -r -s -v -w -x -y -z -# --after-context= --before-context= --context= --count --color= --colour= --exclude= --exclude-dir= --include= --extended-regexp --fixed-strings --basic-regexp --perl-regexp --files-with-matches --files-without-match --ignore-case --invert-match --line-number --line-regexp --max-count= --no-filename --no-messages --null --only-matching --quiet --silent --recursive --dereference-recursive --regexp= --text --with-filename --word-regexp --binary-files= --line-buffered --version';

export const SHELL: readonly CommandRow[] = [
  ['cd', ''],
  ['pwd', '-L -P'],
  // They print what looks like an option.
  ['echo', '*'],
  ['printf', '*'],
  ['true', '*'],
  ['false', '*'],
  [':', '*'],
  [
    'test',
    '-d -e -f -h -L -n -r -s -w -x -z -a -o -eq -ne -lt -le -gt -ge -nt -ot -ef -b -c -p -S -k -g -u -t -O -G -N',
  ],
  [
    '[',
    '-d -e -f -h -L -n -r -s -w -x -z -a -o -eq -ne -lt -le -gt -ge -nt -ot -ef -b -c -p -S -k -g -u -t -O -G -N',
  ],
  // A keyword of bash. What its operands evaluate asks by itself.
  ['[[', '*'],
  ['set', '+ -e -u -x -o -v -eu -ex -eux -euo -euxo -exo -uo -eo'],
  ['exit', ''],
  ['return', ''],
  ['break', ''],
  ['continue', ''],
  ['wait', ''],
  ['sleep', ''],
  ['seq', '-s: -w -f:'],
  ['type', '-a -t -p -P -f'],
  ['which', '-a -s'],
  ['command -v', '-v'],
  ['command -V', '-V'],
  ['time', '-p'],
  // The command that it starts is evaluated on its own.
  ['command', ''],
  ['nice', '-n: --adjustment='],
  // They print what the shell keeps.
  ['umask', '! -S -p'],
  ['jobs', '! -l -n -p -r -s'],
  ['timeout', '-k: -s: --preserve-status --foreground -v --signal= --kill-after='],
  // The commands that it starts are evaluated on their own.
  ['xargs', '-0 -r -t -n: -L: -P: -I: --null --no-run-if-empty --max-args= --max-procs='],
  ['bash -c', '-c'],
  ['sh -c', '-c'],
  ['export', '+'],
  ['read', '-r -d: -n:'],
];

export const TEXT: readonly CommandRow[] = [
  ['cat', '-A -b -e -E -n -s -t -T -v --number --show-all'],
  ['head', '-n: -c: -q -v -# --lines= --bytes='],
  ['tail', '-n: -c: -q -v -f -F -# --lines= --bytes= --follow='],
  ['wc', '-l -w -c -m -L --lines --words --bytes --chars'],
  ['nl', '-b: -w: -s: -n: -v: -i:'],
  ['tac', '-b -r -s:'],
  ['rev', ''],
  [
    'cut',
    '-d: -f: -c: -b: -s --delimiter= --fields= --characters= --output-delimiter= --complement',
  ],
  ['tee /dev/null', '!'],
  ['tee -a /dev/null', '! -a'],
  ['tr', '-d -s -c -C -t --delete --squeeze-repeats --complement'],
  ['paste', '-d: -s --delimiters= --serial'],
  ['fold', '-w: -s -b'],
  ['fmt', '-w: -s -u -#'],
  ['expand', '-t: -i'],
  ['column', '-t -s: -c: -n -x -o: -J -N: -R:'],
  [
    'sort',
    '-b -d -f -g -h -i -M -n -r -R -s -u -V -z -c -C -k: -t: --unique --reverse --numeric-sort --version-sort --human-numeric-sort --key= --field-separator= --stable --check --ignore-case',
  ],
  ['uniq', '-c -d -D -i -u -z -f: -s: -w: --count --repeated --unique --ignore-case'],
  ['join', '-a: -e: -i -j: -o: -t: -v: -1: -2: -z --header --check-order --nocheck-order'],
  // Without a count, `-r` goes on for ever.
  ['shuf', '-e -i: -n: -z --echo --input-range= --head-count= --zero-terminated'],
  ['tsort', ''],
  [
    'pr',
    '-# -a -d -f -F -h: -J -l: -m -o: -r -t -T -v -w: -W: --columns= --header= --length= --width=',
  ],
  ['unexpand', '-a -t: --all --first-only --tabs='],
  ['comm', '-1 -2 -3 -12 -13 -23 -i -z --check-order --nocheck-order'],
  ['cmp', '-b -l -s -n: -i: --silent --quiet --verbose'],
  [
    'diff',
    '-a -b -B -c -C: -d -E -i -n -N -p -q -r -s -t -T -u -U: -w -W: -y -Z -I: -x: --unified= --brief --recursive --color= --side-by-side --ignore-all-space --ignore-space-change --ignore-case --new-file --report-identical-files --text --context= --strip-trailing-cr --suppress-common-lines --exclude=',
  ],
  ['od', '-A: -t: -N: -j: -c -x -d -o -b -v -w: -a'],
  ['xxd', '-a -b -c: -e -g: -i -l: -p -s: -u'],
  ['hexdump', '-C -b -c -d -n: -o -s: -v -x'],
  ['strings', '-a -n: -t: -e: -o -#'],
  ['base64', '-d -D -w: -i --decode --wrap= --ignore-garbage'],
  ['md5sum', '-b -t --tag'],
  ['sha1sum', '-b -t --tag'],
  ['sha256sum', '-b -t --tag'],
  ['sha512sum', '-b -t --tag'],
  ['sha224sum', '-b -t --tag'],
  ['sha384sum', '-b -t --tag'],
  ['b2sum', '-b -t -l: --tag --length='],
  ['sum', '-r -s'],
  ['base32', '-d -w: -i --decode --wrap= --ignore-garbage'],
  ['shasum', '-a: -b -t --algorithm='],
  ['cksum', '-a: --algorithm='],
  [
    'jq',
    '-r -c -s -n -e -S -M -C -j -R -a -M --raw-output --compact-output --slurp --null-input --exit-status --sort-keys --arg --argjson --args --jsonargs --tab --indent= --raw-input --monochrome-output --color-output --join-output --stream',
  ],
  [
    'yq',
    '-r -c -n -e -M -C -j -P -o: -p: --prettyPrint --output-format= --input-format= --exit-status --no-colors --colors',
  ],
  [
    'sed',
    '-n -E -r -e: -s -u -z --quiet --silent --regexp-extended --expression= --separate --null-data --unbuffered --posix',
  ],
  ['awk', '-F: -v: --field-separator='],
  ['gawk', '-F: -v: --field-separator='],
  ['basename', '-a -s: -z --suffix= --multiple'],
  ['dirname', '-z'],
  ['realpath', '-e -m -L -P -q -s -z --relative-to= --relative-base='],
  ['readlink', '-e -f -m -n -q -s -v -z'],
  ['expr', ''],
  ['factor', '-h --exponents'],
  [
    'numfmt',
    '-d: -z --to= --from= --to-unit= --from-unit= --field= --format= --header= --invalid= --padding= --round= --suffix= --grouping --delimiter= --zero-terminated',
  ],
  // Only its input: a file of its own may be longer than what is shown of it.
  ['bc', '! -l -q -s -w'],
];

export const SEARCH: readonly CommandRow[] = [
  [
    'ls',
    '-a -A -b -B -c -C -d -f -F -g -G -h -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T: -u -U -v -w: -x -X -Z -1 -@ --all --almost-all --color= --recursive --reverse --size --sort= --time= --human-readable --directory --classify --full-time --time-style= --group-directories-first --inode --si --literal --no-group',
  ],
  ['grep', GREP],
  ['egrep', GREP],
  ['fgrep', GREP],
  [
    'rg',
    '-A: -B: -C: -c -e: -F -g: -h -H -i -I -j: -l -L -m: -M: -n -N -o -p -q -r: -s -S -t: -T: -u -U -v -V -w -x -. -0 -# --after-context= --before-context= --context= --count --count-matches --files --files-with-matches --files-without-match --fixed-strings --glob= --iglob= --glob-case-insensitive --heading --hidden --ignore-case --invert-match --json --line-number --max-count= --max-depth= --max-columns= --max-filesize= --multiline --multiline-dotall --no-filename --no-heading --no-ignore --no-ignore-vcs --no-line-number --no-messages --no-config --null --only-matching --passthru --pcre2 --pretty --quiet --regexp= --replace= --smart-case --case-sensitive --sort= --sortr= --stats --text --threads= --trim --type= --type-not= --type-list --unrestricted --vimgrep --with-filename --word-regexp --line-regexp --color= --column --version --debug',
  ],
  [
    'find',
    '-H -L -P -amin -and -anewer -atime -cmin -cnewer -ctime -daystart -depth -empty -executable -false -follow -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -ls -maxdepth -mindepth -mmin -mount -mtime -name -newer -newermt -nogroup -nouser -not -o -or -a -path -perm -print -print0 -printf -prune -quit -readable -regex -regextype -samefile -size -true -type -uid -used -user -wholename -writable -xdev -xtype -noleaf -#',
  ],
  [
    'fd',
    '-H -I -u -s -i -F -a -L -p -d: -t: -e: -E: -c: -0 -1 -g --hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --follow --full-path --max-depth= --min-depth= --type= --extension= --exclude= --size= --changed-within= --changed-before= --color= --max-results= --print0 --version',
  ],
  [
    'tree',
    '-a -d -f -h -i -l -p -s -t -u -v -C -D -F -L: -I: -P: -n -r --dirsfirst --du --noreport --prune --gitignore --filelimit= --charset= -J -X --sort=',
  ],
  ['file', '-b -i -I -L -h -k -s --brief --mime --mime-type --mime-encoding --dereference'],
  ['stat', '-c: -f: -L -t -x --format= --printf= --dereference --terse --file-system'],
  [
    'du',
    '-a -b -c -d: -h -k -m -s -S -x -L -H -P -0 --max-depth= --human-readable --summarize --total --apparent-size --exclude= --all --si --one-file-system',
  ],
  ['df', '-a -h -H -i -k -l -P -t: -T -x: --human-readable --total --output= --type='],
];

/** They ask the kernel, and look up no name. Any further word may change something. */
const NETWORK: readonly CommandRow[] = ['', '-4 ', '-6 ', '-br ', '-o '].flatMap((option) =>
  ['a', 'addr', 'addr show', 'link', 'link show', 'route'].map(
    (what): CommandRow => [`ip ${option}${what}`, `! ${option}`.trim()],
  ),
);

export const SYSTEM: readonly CommandRow[] = [
  ['date', '-u -I: -R -d: --utc --iso-8601= --rfc-3339= --rfc-email --date= -j -v:'],
  ['cal', '-3 -m -y -j'],
  ['uname', '-a -s -n -r -v -m -p -i -o'],
  ['whoami', ''],
  ['id', '-u -g -G -n -un -gn -r'],
  ['groups', ''],
  ['hostname', '! -s -I'],
  ['uptime', '-p -s'],
  ['nproc', '--all'],
  ['logname', '!'],
  ['getconf', '-a'],
  ['free', '-b -k -m -g -h -t -s: -c:'],
  ['lscpu', ''],
  ['lsblk', '-f -o: -a'],
  ['arch', ''],
  ['sw_vers', '-productVersion'],
  [
    'ps',
    '-a -A -e -f -F -j -l -L -o: -p: -u: -U: -w -x -C: -H --sort= --forest --no-headers --pid= --ppid= --user=',
  ],
  ['pgrep', '-a -f -l -n -o -u: -x -i -c'],
  // Without `-n` they look up the names of addresses. `-t` prints process ids only.
  ['lsof', '+-n -i: -n -P -p: -s: -t -u: -a'],
  ['lsof', '+-t -i: -n -P -p: -s: -t -u: -a'],
  ['ss', '! -a -l -n -p -t -u -x -s -4 -6 -H -o -e'],
  ...NETWORK,
  ['netstat', '! +-n -a -l -n -p -t -u -r -s -v'],
  ...['NODE_ENV', 'PWD', 'USER', 'LANG', 'VIRTUAL_ENV', 'JAVA_HOME', 'GOPATH'].map(
    (name) => [`printenv ${name}`, '!'] as const,
  ),
  ['lsb_release', '! -a -d -s -r -c'],
  ['locale', '! -a'],
  ['tty', '!'],
  ['tput cols', '!'],
  ['tput lines', '!'],
  ['ulimit', '! -a -n -u -c -s'],
  ['man -k', '-k'],
  ['man -f', '-f'],
  ['printenv PATH', '!'],
  ['printenv HOME', '!'],
  ['printenv SHELL', '!'],
];
