import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { DEFAULT_RULES, readOnlyCommands } from '../../../src/permissions/defaults/defaults.ts';
import { evaluate } from '../../../src/permissions/evaluate/evaluate.ts';
import { createPolicyCompiler } from '../../../src/permissions/rules/policyCompiler.ts';
import type { Action, Rule } from '../../../src/permissions/rules/rule.ts';
import { createReadGit } from '../../../src/runtime/commands/readGit.ts';
import { createRandom } from '../../defaults/sweep.ts';
import type { Miss } from '../differential.ts';
import { toAnyRows } from './anyRows.ts';
import { type Bed, makeBed } from './bed.ts';
import { type Mode, toHarm } from './harm.ts';
import { makeLine, toReaders } from './lines.ts';
import { traceLines } from './traceLines.ts';

export interface ReadersResult {
  readonly lines: number;
  readonly allowed: number;
  readonly misses: readonly Miss[];
}

/** What a user who allows reading everywhere but of secrets adds to the shipped rules. */
const OWN: readonly Rule[] = [
  toRule('fs.read', '**', 'allow'),
  ...['**/.env', 'secret/**'].map((pattern) => toRule('*', pattern, 'deny')),
];

/** What a user who allows every command and protects secrets has instead of the shipped rules. */
const ANY: readonly Rule[] = [
  ...['bash *', 'fs.read **', 'fs.write **'].map((each) => {
    const [permission = '', pattern = ''] = each.split(' ');
    return toRule(permission, pattern, 'allow');
  }),
  ...OWN.filter(({ action }) => action === 'deny'),
];

const RULES: Readonly<Record<Mode, readonly Rule[]>> = {
  shipped: DEFAULT_RULES,
  own: [...DEFAULT_RULES, ...OWN],
  any: ANY,
};

const MODES: readonly Mode[] = ['shipped', 'own', 'any'];

const BATCH = 100;

/**
 * Evaluates random lines of the programs that the shipped rules let read, in a repository with links and
 * secrets, and runs those that are allowed under strace: none may open a file that a rule denies or that
 * lies outside the workspace, change a file, start a program that it doesn't name or contact a host.
 */
export async function fuzzReaders(
  count: number,
  seed: number,
  filter = /./,
  modes = MODES,
): Promise<ReadersResult> {
  const bed = makeBed();
  const result = { lines: 0, allowed: 0, misses: [] as Miss[] };
  const rows = toReaders(readOnlyCommands()).filter(([pattern]) => filter.test(pattern));
  const anyRows = toAnyRows(readOnlyCommands()).filter(([pattern]) => filter.test(pattern));
  try {
    for (let at = 0; at < count; at += BATCH) {
      const random = createRandom(seed + at);
      const mode = modes[(at / BATCH) % modes.length] ?? 'shipped';
      const lines = Array.from({ length: Math.min(BATCH, count - at) }, () =>
        makeLine(mode === 'any' ? anyRows : rows, random),
      );
      const decide = createDecide(bed, mode);
      const allowed: string[] = [];
      for (const line of lines) if ((await decide(line)) === 'allow') allowed.push(line);
      result.lines += lines.length;
      result.allowed += allowed.length;
      result.misses.push(...runLines(allowed, bed, mode));
    }
  } finally {
    bed.dispose();
  }
  return result;
}

/** Runs allowed lines, and tells which did harm. What one changes may mislead the others. */
export function runLines(lines: readonly string[], bed: Bed, mode: Mode): readonly Miss[] {
  const env = {
    PATH: `${path.dirname(rgPath)}:${process.env['PATH']}`,
    HOME: bed.home,
    LC_ALL: 'C.UTF-8',
  };
  const misses = traceLines(lines, { cwd: bed.work, env, writable: bed.base }).flatMap(
    (trace, index) => {
      const line = lines[index] ?? '';
      return toHarm(line, trace, bed, mode).map((why) => ({ line, why: `${mode}: ${why}` }));
    },
  );
  if (mode === 'any' || misses.some(({ why }) => why.includes('wrote'))) bed.replant();
  return misses;
}

export function createDecide(bed: Bed, mode: Mode): (line: string) => Promise<string> {
  const policy = createPolicyCompiler().compile({
    rules: RULES[mode],
    folders: { workspace: [bed.work], adHoc: [], cwd: bed.work },
    shell: 'bash',
    platform: 'linux',
    headless: false,
    lookMs: 60_000,
    readGit: createReadGit([bed.work]),
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

function toRule(permission: string, pattern: string, action: Action): Rule {
  return { permission, pattern, action, source: 'session' };
}
