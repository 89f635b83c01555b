import { spawnSync } from 'node:child_process';
import { DEFAULT_RULES } from '../src/permissions/defaults/defaults.ts';
import { evaluate } from '../src/permissions/evaluate/evaluate.ts';
import { matchesStar, parseStar } from '../src/permissions/patterns/star.ts';
import type { Policy } from '../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../src/permissions/rules/policyCompiler.ts';
import type { Rule } from '../src/permissions/rules/rule.ts';
import { createReadGit } from '../src/runtime/commands/readGit.ts';
import type { Row } from './row.ts';

/** Decisions made before measuring. */
const WARM_UP = 5000;

/** The goals of the permission engine, each as a ratio to its anchor. */
export async function permissionRows(): Promise<readonly Row[]> {
  const spawn = median(20, () => {
    const started = performance.now();
    spawnSync('bash', ['-c', 'true']);
    return performance.now() - started;
  });
  const fourCommands = 'git status && npm test && ls -la src && echo done';
  // A host runs for hours, so the compiler's work on the first thousands of decisions is not
  // measured.
  await medianOf(WARM_UP, () => decide(fourCommands, policyOf(100)));
  const line = await medianOf(2000, () => decide(fourCommands, policyOf(100)));
  await medianOf(50, () => spend(longLine(10 * 1024), policyOf(100)));
  const tenKilobytes = await quantile(200, 0.99, () => spend(longLine(10 * 1024), policyOf(100)));
  const mebibyte = Math.max(
    await medianOf(3, () => spend(`echo ${'a'.repeat(1024 * 1024)}`, policyOf(100))),
    await medianOf(3, () => spend(longLine(127 * 1024), policyOf(100))),
    await medianOf(3, () => spend('$('.repeat(512 * 1024), policyOf(100))),
    await medianOf(3, () => spend('('.repeat(120 * 1024), policyOf(100))),
    await medianOf(3, () => spend('a;'.repeat(60 * 1024), policyOf(100))),
  );
  const shippedPolicy: Policy = { ...policyOf(100), rules: DEFAULT_RULES };
  const shipped = await medianOf(2000, () => decide(fourCommands, shippedPolicy));
  return [
    {
      goal: 'a 4-command line against 100 rules',
      anchor: 'one spawn of bash -c true',
      ratio: line / spawn,
      limit: 0.01,
    },
    {
      goal: 'the same line against the shipped rules',
      anchor: 'one spawn of bash -c true',
      ratio: shipped / spawn,
      // Our own limit: no goal covers this many rules (about seven times as many).
      limit: 0.05,
    },
    { goal: 'a 10 KB command, p99', anchor: '20 ms of CPU', ratio: tenKilobytes / 20, limit: 1 },
    {
      goal: 'a 1 MiB command, the worst of five shapes',
      anchor: '1 s of CPU',
      ratio: mebibyte / 1000,
      limit: 1,
    },
    {
      goal: 'matching is linear: time(2n)/time(n)',
      anchor: 'the same matcher at n',
      ratio: growth(),
      limit: 2.5,
    },
    { goal: '12 stars against 20,000 characters', anchor: '1 ms', ratio: twelveStars(), limit: 1 },
  ];
}

/** Rules of every kind, most of which don't match. */
function policyOf(count: number): Policy {
  const known = cache.get(count);
  if (known !== undefined) return known;
  const allowed = ['git *', 'npm test', 'ls *', 'echo *'];
  const rules = Array.from({ length: count }, (_, index): Rule => {
    const pattern = allowed[index] ?? `tool${index} run *${index % 3 === 0 ? ' --fast' : ''}`;
    return {
      permission: 'bash',
      pattern,
      action: index % 10 === 9 ? 'deny' : 'allow',
      source: 'session',
    };
  });
  const folders = { workspace: [process.cwd()], adHoc: [], cwd: process.cwd() };
  const policy: Policy = {
    rules,
    folders,
    shell: 'bash',
    platform: 'linux',
    headless: false,
    readGit: createReadGit([process.cwd()]),
  };
  cache.set(count, policy);
  return policy;
}

const cache = new Map<number, Policy>();
const compiler = createPolicyCompiler();

async function decide(command: string, policy: Policy): Promise<number> {
  const started = performance.now();
  await evaluate(
    {
      tool: 'bash',
      input: { command },
      subjects: [
        { permission: 'bash', capability: 'shell.run', target: command, match: 'command' },
      ],
    },
    compiler.compile(policy),
  );
  return performance.now() - started;
}

/** CPU time in milliseconds, which other work on the machine doesn't affect. */
async function spend(command: string, policy: Policy): Promise<number> {
  const before = process.cpuUsage();
  await decide(command, policy);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A command of many different programs, quotes and substitutions. */
function longLine(length: number): string {
  const parts: string[] = [];
  let size = 0;
  for (let index = 0; size < length; index += 1) {
    const part = `git log --oneline "file ${index}" | grep -v 'x${index}' && echo $(npm test ${index})\n`;
    parts.push(part);
    size += part.length;
  }
  return parts
    .join('')
    .slice(0, length)
    .replace(/[^\n]*$/, 'ls');
}

function growth(): number {
  const pattern = parseStar('*a*b*a*b*c');
  const time = (size: number) => {
    const text = 'ab'.repeat(size);
    return median(30, () => {
      const started = performance.now();
      for (let round = 0; round < 50; round += 1) matchesStar(pattern, text);
      return performance.now() - started;
    });
  };
  time(20_000);
  return time(40_000) / time(20_000);
}

/** Wall time in milliseconds. */
function twelveStars(): number {
  const pattern = parseStar('*a*a*a*a*a*a*a*a*a*a*a*b');
  const text = 'a'.repeat(20_000);
  return median(50, () => {
    const started = performance.now();
    matchesStar(pattern, text);
    return performance.now() - started;
  });
}

function median(times: number, measure: () => number): number {
  return middle(Array.from({ length: times }, measure));
}

async function medianOf(times: number, measure: () => Promise<number>): Promise<number> {
  return middle(await collect(times, measure));
}

async function quantile(
  times: number,
  part: number,
  measure: () => Promise<number>,
): Promise<number> {
  const sorted = (await collect(times, measure)).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

async function collect(times: number, measure: () => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round < times; round += 1) found.push(await measure());
  return found;
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
