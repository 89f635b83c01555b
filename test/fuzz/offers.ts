import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { DEFAULT_RULES } from '../../src/permissions/defaults/defaults.ts';
import { evaluate } from '../../src/permissions/evaluate/evaluate.ts';
import type { Decision, Policy } from '../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../src/permissions/rules/policyCompiler.ts';
import type { Rule } from '../../src/permissions/rules/rule.ts';
import { createReadGit } from '../../src/runtime/commands/readGit.ts';
import type { Miss } from './differential.ts';

export interface OfferResult {
  readonly lines: number;
  /** Lines instead of which another was offered. */
  readonly offered: number;
  readonly misses: readonly Miss[];
}

const FILES = ['.env', 'a/.env', 'a/x.ts', 'a/b/.env', 'a/b/k.pem', 'c d/.env', 'c d/y.ts', 'z.ts'];
/** Other names of files. The last lie where other lines of the corpus don't look. */
const LINKS = [
  ['.env', 'notes.txt'],
  ['a/.env', 'a/notes.txt'],
  ['a/b/k.pem', 'c d/k.txt'],
  ['.env', 'a/b/deep.txt'],
] as const;

const DENIES: readonly Rule[] = ['**/.env', '**/*.pem', 'a/b/**'].map((pattern) => ({
  permission: '*',
  pattern,
  action: 'deny',
  source: 'session',
}));
const OWN: readonly Rule[] = ['bash *', 'fs.read **', 'fs.write **'].map((allowed) => {
  const [permission = '', pattern = ''] = allowed.split(' ');
  return { permission, pattern, action: 'allow', source: 'session' };
});

const before = fc.constantFrom(
  '',
  '',
  '',
  'cd a && ',
  "cd 'c d' && ",
  'cd a && cd .. && ',
  'cd a; ',
);
const launcher = fc.constantFrom('', '', '', '', 'timeout 5 ', 'LC_ALL=C ', 'env -C a ');
const reader = fc.constantFrom(
  'grep -rn TOKEN .',
  'grep -rn TOKEN a',
  'grep -rhe TOKEN -n .',
  'grep -rn --include=*.ts --include=.env TOKEN .',
  'grep -rnR TOKEN .',
  'git grep TOKEN',
  'git grep -n TOKEN',
  'git grep -h TOKEN -- .',
  'git grep --untracked TOKEN',
  'git -C a grep TOKEN',
  'git -C a grep -n TOKEN -- b',
  "git -C 'c d' grep TOKEN",
  'git --no-pager grep TOKEN',
  'rg -uu TOKEN',
  'rg --hidden TOKEN a',
  'diff -r a "c d"',
  'tar -cf - .',
  'tar cf /dev/null a',
  'tar --append -f x.tar .',
  'tar --up -f x.tar a',
  "zip -qR x.zip '*.env'",
  "zip -9qR x.zip '*' -x '*.pem'",
  'zip -qr x.zip a',
  // Not `k.txt`, which is far from what it names: see `isFar`.
  "cat 'c d'/y*",
  'rsync -r . x',
  'git diff HEAD',
  'git log -p',
  'git add .',
);
const after = fc.constantFrom('', '', '', ' | cat', ' > /dev/null', '; echo done');
const offerLine = fc.tuple(before, launcher, reader, after).map((parts) => parts.join(''));
const situation = fc.record({
  links: fc.subarray([...LINKS]),
  denies: fc.subarray([...DENIES], { minLength: 1 }),
  shipped: fc.boolean(),
  headless: fc.constantFrom(false, false, true),
  lines: fc.array(offerLine, { minLength: 8, maxLength: 8 }),
});

/**
 * Evaluates lines that read files below a folder, in folders with links of denied files. What is
 * offered instead must pass there, and print what the line does but for the denied files.
 */
export async function fuzzOffers(count: number, seed: number): Promise<OfferResult> {
  const misses: Miss[] = [];
  let [lines, offered] = [0, 0];
  for (const { lines: made, links, denies, shipped, headless } of fc.sample(situation, {
    numRuns: Math.ceil(count / 8),
    seed,
  })) {
    using folder = plant(links);
    const rules = [...(shipped ? DEFAULT_RULES : OWN), ...denies];
    const policy = toPolicy(folder.root, rules, headless);
    for (const line of made) {
      lines += 1;
      const { decision, instead } = await decide(line, policy);
      const leak = decision === 'allow' ? findLeak(line, folder.root, denies) : undefined;
      if (leak !== undefined) misses.push({ line, why: `prints or packs the denied \`${leak}\`` });
      if (instead === undefined) continue;
      offered += 1;
      const why = (await findRefused(instead, policy)) ?? compareOutput(line, instead, folder.root);
      if (why !== undefined) misses.push({ line: `${line} → ${instead}`, why });
    }
  }
  return { lines, offered, misses };
}

/** The denied file whose text an allowed line prints, or has in an archive. */
function findLeak(line: string, root: string, denies: readonly Rule[]): string | undefined {
  const { stdout } = spawnSync('bash', ['-c', line], { cwd: root, input: '' });
  const archives = ['x.tar', 'x.zip', 'a/x.tar', 'a/x.zip', 'c d/x.tar', 'c d/x.zip'];
  const made = archives.map((each) => path.join(root, each)).filter((each) => existsSync(each));
  const text = [stdout, ...made.map((each) => readFileSync(each))].join('');
  for (const each of made) rmSync(each);
  const denied = FILES.filter((file) => denies.some(({ pattern }) => DENIED[pattern]?.test(file)));
  return denied.find((file) => text.includes(`TOKEN of ${file}\n`) && !isFar(file, line, denies));
}

/** Of a file that only a rule with `*` names, only names beside it are looked for (SECURITY.md). */
function isFar(file: string, line: string, denies: readonly Rule[]): boolean {
  const beside = denies.some(({ pattern }) => pattern === 'a/b/**');
  return file === 'a/b/k.pem' && !beside && line.startsWith("cd 'c d'");
}

const DENIED: Readonly<Record<string, RegExp>> = {
  '**/.env': /\.env$/,
  '**/*.pem': /\.pem$/,
  'a/b/**': /^a\/b\//,
};

function plant(links: readonly (readonly [string, string])[]) {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-offers-')));
  const root = path.join(base, 'work');
  for (const file of FILES) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), `TOKEN of ${file}\n`);
  }
  for (const [file, name] of links) linkSync(path.join(root, file), path.join(root, name));
  execFileSync('git', ['-C', root, 'init', '-q']);
  execFileSync('git', ['-C', root, 'add', '-A', '-f']);
  return {
    root,
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function toPolicy(root: string, rules: readonly Rule[], headless: boolean): Policy {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return {
    rules,
    folders,
    shell: 'bash',
    platform: 'linux',
    headless,
    lookMs: 60_000,
    readGit: createReadGit([root]),
  };
}

const compiler = createPolicyCompiler();

function decide(line: string, policy: Policy): Promise<Decision> {
  const subject = { permission: 'bash', capability: 'shell.run', target: line, match: 'command' };
  const call = { tool: 'bash', input: { command: line }, subjects: [subject] } as const;
  return evaluate(call as Parameters<typeof evaluate>[0], compiler.compile(policy));
}

async function findRefused(instead: string, policy: Policy): Promise<string | undefined> {
  const { decision, reason } = await decide(instead, policy);
  const passes = decision === 'allow' || (!policy.headless && /^No rule covers/.test(reason));
  return passes ? undefined : `what is offered is not allowed: ${reason}`;
}

/** Only of searches, whose lines name their files. */
function compareOutput(line: string, instead: string, root: string): string | undefined {
  if (!/\bgrep\b/.test(line) || /[>;]/.test(line)) return undefined;
  const [all, left] = [line, instead].map((each) => listPrinted(each, root));
  if (all === undefined || left === undefined) return undefined;
  const added = left.filter((each) => !all.includes(each));
  const missing = all.filter((each) => !left.includes(each) && !/\.env|\.pem|a\/b/.test(each));
  if (added.length > 0) return `what is offered prints ${added.join()}`;
  return missing.length > 0 ? `what is offered leaves out ${missing.join()}` : undefined;
}

/** The lines that it prints, without the names of files, whose form may differ. */
function listPrinted(line: string, root: string): readonly string[] {
  const { stdout } = spawnSync('bash', ['--norc', '-c', line], { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').flatMap((each) => /TOKEN of .*/.exec(each)?.[0] ?? []);
}
