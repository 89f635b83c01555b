import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { DEFAULT_RULES } from '../../src/permissions/defaults/defaults.ts';
import { evaluate } from '../../src/permissions/evaluate/evaluate.ts';
import { createPolicyCompiler } from '../../src/permissions/rules/policyCompiler.ts';
import { createReadGit } from '../../src/runtime/commands/readGit.ts';
import type { Miss } from './differential.ts';
import { MARK, plant, plantName, SECRET } from './oddRepository.ts';

/** Names that a program may take for an option, a list of names, or several names. */
export const ODD_NAMES: readonly string[] = [
  `--files0-from=${SECRET}`,
  `-f${SECRET}`,
  `--file=${SECRET}`,
  `--fil=${SECRET}`,
  `-rf${SECRET}`,
  `--exclude-from=${SECRET}`,
  `--from-file=${SECRET}`,
  `-T${SECRET}`,
  `-X${SECRET}`,
  `-C${SECRET}`,
  `-O${SECRET}`,
  `-e p -f ${SECRET}`,
  `a --files0-from=${SECRET}`,
  `a ${SECRET}`,
  `a\t${SECRET}`,
  `a\n${SECRET}`,
  `a'b ${SECRET}`,
  `"a" ${SECRET}`,
  `b\\ ${SECRET}`,
  `sub/ ${SECRET}`,
  `sub/x -f${SECRET}`,
  `sub/-f${SECRET}`,
  `@${SECRET}`,
  `%${SECRET}`,
  `+${SECRET}`,
  `.[k]eep/secret.txt`,
  `.kee?/secret.txt`,
  `.keep*/secret.txt`,
  `{a,${SECRET}}`,
  'a*b',
  '-exec',
  '-delete',
  '-R',
  '--',
  '-',
  '--output=out.txt',
  '-oout.txt',
  'é -r',
  // git quotes these, and the name with the quotes is planted, too.
  'odd/é.txt',
  'odd/a\x01.txt',
  // A link to the secret, whose name isn't UTF-8, and another name of the secret.
  'odd/\ufffd.txt',
  '.hid.txt',
];

/** Run with each name, since few random lines meet a name that they misread. */
const FIXED: readonly string[] = [
  'cat -- $(git ls-files)',
  'git ls-files | xargs cat --',
  'git ls-files -z | xargs -0 cat --',
  "rg --files -0 -g '*.txt' | xargs -0 cat",
];

const PRODUCERS: readonly string[] = [
  ...['git ls-files', 'git ls-files -z', "git ls-files -z '*.txt'", 'git ls-files -m -z'],
  ...['git ls-files', 'git ls-files sub', 'git ls-files -z -- sub a.txt', "git ls-files '*.txt'"],
  ...['git diff --name-only', 'git diff --name-only -z', 'git diff --name-only -z HEAD~1'],
  ...['git diff --name-only HEAD~1', 'git diff --cached --name-only -z HEAD~1'],
  ...['find . -maxdepth 1', 'find sub', 'find sub -print0', 'find sub -type f', 'find * -print0'],
  ...['rg -l .', 'rg -l0 .', 'rg --files', 'rg --files sub', 'grep -rlZ . sub', 'grep -rl . *'],
  ...['rg --files -ttxt', "rg --files -0 -g '.*'", 'rg -l0 -ttxt .', 'find odd -print0'],
  ...['ls', 'ls *', 'echo *', 'printf "%s\\n" *', 'ls -d sub/*', 'cat list'],
];

const FILTERS: readonly string[] = ['', '', '', '', ' | sort', ' | head -50', ' | grep -v zzz'];

const XARGS: readonly string[] = [
  ...['xargs', 'xargs -0', 'xargs -0', 'xargs -r0 -n 1', 'xargs -n 1', 'xargs -I{}'],
  ...['xargs -0 -I{}', 'xargs -0 -P 2 -n 2', "xargs -d '\\n'"],
];

const CONSUMERS: readonly string[] = [
  ...['wc -l', 'wc', 'cat', 'head -n 2', 'tail -n 2', 'nl', 'tac', 'ls', 'ls -la', 'stat'],
  ...['grep -n .', 'grep -c x', 'egrep -n .', 'fgrep x', 'sed -n 1p', 'cut -c1-9', 'sort', 'du -a'],
  ...['md5sum', 'sha256sum', 'echo', 'basename -a', 'dirname', 'file', 'od -c', 'jq -R .', 'uniq'],
  ...[
    'diff sub',
    'find',
    'rg .',
    'strings',
    'nm',
    'tar tf',
    'base64',
    'awk 1',
    'git log --',
    'comm',
    'xxd',
    'xxd a.txt',
  ],
];

export interface NamesResult {
  readonly lines: number;
  readonly allowed: number;
  readonly misses: readonly Miss[];
}

/**
 * Evaluates lines that pass names to programs, in a repository with an odd name, and runs those that
 * the shipped rules allow: none may open a file that a deny covers, or change a file. `count`: how
 * many lines for each name.
 */
export async function fuzzNames(count: number, seed: number): Promise<NamesResult> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-names-')));
  const result = { lines: 0, allowed: 0, misses: [] as Miss[] };
  try {
    const root = plant(base);
    const decide = createDecide(root);
    const random = createRandom(seed);
    for (const name of ODD_NAMES) {
      plantName(root, name);
      for (let at = 0; at < count; at += 1) {
        const line = FIXED[at] ?? makeLine(random);
        result.lines += 1;
        if ((await decide(line)) !== 'allow') continue;
        result.allowed += 1;
        const why = runLine(line, root);
        if (why !== undefined)
          result.misses.push({ line, why: `${why}, with ${JSON.stringify(name)}` });
      }
    }
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
  return result;
}

/** A line, or the same as the text of another bash, where globs and loops are followed as well. */
function makeLine(random: () => number): string {
  const line = makePlain(random);
  return random() < 0.15 && !line.includes("'") ? `bash -c '${line}'` : line;
}

function makePlain(random: () => number): string {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
  const [producer, consumer, chance] = [pick(PRODUCERS), pick(CONSUMERS), random()];
  const start = random() < 0.2 ? pick(STARTS) : '';
  if (chance < 0.1) return `${start}${consumer} ${random() < 0.5 ? '*' : 'sub/*'}`;
  if (chance < 0.17)
    return `${start}${consumer}${random() < 0.3 ? ' --' : ''} $(${producer}${pick(FILTERS)})`;
  if (chance < 0.26) return `${start}${makeLoop(consumer, pick)}`;
  if (chance < 0.34) return `${start}find . -name '*' -exec ${consumer} {} ${pick(['+', '\\;'])}`;
  const xargs = pick(XARGS);
  const end = xargs.endsWith('{}') ? ' {}' : random() < 0.2 ? ' --' : '';
  return `${start}${producer}${pick(FILTERS)} | ${xargs} ${consumer}${end}`;
}

const STARTS: readonly string[] = [
  ...[
    'cd sub && ',
    'cd sub && ',
    'cd sub && cd "$(git rev-parse --show-toplevel)" && ',
    'cd . && ',
  ],
];
const GLOBS: readonly string[] = [
  ...['*', './*', 'sub/*', '*.txt', 'sub/* a.txt', 'su[b]/*', '*/'],
  ...['$(git ls-files)', '$(git ls-files sub)'],
];
const BODIES: readonly string[] = [
  ...['X "$f"', 'X "$f"', 'X $f', 'X -- "$f"', 'X ${f}', 'X < "$f"', 'X "${f%.txt}"', '[ -f $f ]'],
  ...['echo "${f##*/}: $(X < "$f")"', 'for g in $f; do X "$g"; done', 'g=$f; X "$g"'],
  ...[
    'while read -r l; do echo "$l"; done < "$f"',
    'case $f in *x*) X "$f";; esac',
    'cd "$f" && ls',
  ],
  ...[
    'timeout 9 X "$f"',
    'X "$f" | head -3',
    '[ -f "$f" ] && X "$f"',
    'X "./$f"',
    'find "$f" -type f',
  ],
];

function makeLoop(consumer: string, pick: (list: readonly string[]) => string): string {
  return `for f in ${pick(GLOBS)}; do ${pick(BODIES).replaceAll('X', consumer)}; done`;
}

function createDecide(root: string): (line: string) => Promise<string> {
  const deny = {
    permission: 'fs.read',
    pattern: '.keep',
    action: 'deny',
    source: 'session',
  } as const;
  const policy = createPolicyCompiler().compile({
    rules: [...DEFAULT_RULES, deny],
    folders: { workspace: [root], adHoc: [], cwd: root },
    shell: 'bash',
    platform: 'linux',
    headless: false,
    lookMs: 60_000,
    readGit: createReadGit([root]),
  });
  return async (target) => {
    const subject = {
      permission: 'bash',
      capability: 'shell.run',
      target,
      match: 'command',
    } as const;
    const call = { tool: 'bash', input: { command: target }, subjects: [subject] } as const;
    return (await evaluate(call, policy)).decision;
  };
}

/** Why the line shouldn't have been allowed; undefined: it did no harm. */
function runLine(line: string, root: string): string | undefined {
  const secret = path.join(root, SECRET);
  // Reading a file whose access time is that of its last change sets it anew on most file systems.
  utimesSync(secret, 1000, 1000);
  const before = list(root);
  const { stdout, stderr } = spawnSync('bash', ['-c', line], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${path.dirname(rgPath)}:${process.env['PATH']}` },
    timeout: 10_000,
    input: '',
  });
  if (`${stdout}${stderr}`.includes(MARK)) return 'it printed the secret';
  if (statSync(secret).atimeMs !== 1_000_000) return 'it opened the secret';
  return list(root) === before ? undefined : 'it changed files';
}

/** The names that lie there, and the content of the secret. */
function list(root: string): string {
  const { stdout } = spawnSync('find', ['.', '-path', './.git', '-prune', '-o', '-print'], {
    cwd: root,
    encoding: 'utf8',
  });
  return stdout + readFileSync(path.join(root, 'a.txt'), 'utf8');
}

/** A linear congruential generator; its quality doesn't matter here. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
