import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CommandRow } from '../../src/permissions/defaults/defaultCommands.ts';
import { evaluate } from '../../src/permissions/evaluate/evaluate.ts';
import { createPolicyCompiler } from '../../src/permissions/rules/policyCompiler.ts';
import type { Rule } from '../../src/permissions/rules/rule.ts';
import { createReadGit } from '../../src/runtime/commands/readGit.ts';
import { type Family, familyOf } from './families.ts';
import { findHarm } from './findings.ts';
import type { Bed } from './repositories.ts';
import { type RowCommand, toCommands } from './rowCommands.ts';

export interface Sweep {
  /** Rows of which a command ran, and rows whose program isn't at hand. */
  readonly rows: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  readonly ran: number;
  /** Commands that a row lets through and something else asks about. */
  readonly asked: number;
  readonly findings: readonly string[];
}

export interface SweepOptions {
  readonly rows: readonly CommandRow[];
  readonly rules: readonly Rule[];
  readonly bed: Bed;
  /** Pairs of options for each row. */
  readonly pairs: number;
  /** At most so many commands, drawn by the seed; absent: all. */
  readonly most?: number;
  readonly seed: number;
  /** Commands at the same time. */
  readonly jobs: number;
  /** `host:port` of a server for the rows that need one; absent: nothing answers. */
  readonly server?: string;
  readonly signal?: AbortSignal;
  /** Absent: as the rows are grouped in the document. */
  toFamily?(row: CommandRow): Grounds;
}

/** What a family may do without harm, or why its rows aren't run. */
export type Grounds = Pick<Family, 'reads' | 'scratch' | 'contacts' | 'argued'>;

/** Runs what the rows let through, as far as the gate allows it in the hostile repository. */
export async function sweepRows(options: SweepOptions): Promise<Sweep> {
  const { rows, bed, seed, pairs, jobs, signal, toFamily = familyOf } = options;
  const random = createRandom(seed);
  const tested = rows.filter((row) => toFamily(row).argued === undefined);
  const [here, missing] = split(tested, (row) => isAtHand(row, bed));
  const { server = '127.0.0.1:9' } = options;
  const all = here
    .flatMap((row) => toCommands(row, pairs, random))
    .map((command) => ({ ...command, line: command.line.replaceAll('{server}', server) }));
  const queue = options.most === undefined ? [...all] : draw(all, options.most, random);
  const findings: string[] = [];
  const ran = new Set<string>();
  let count = 0;
  let asked = 0;
  const work = async () => {
    for (;;) {
      const command = signal?.aborted === true ? undefined : queue.shift();
      if (command === undefined) return;
      if (!(await isAllowed(command.line, options))) {
        asked += 1;
        continue;
      }
      const harm = await findHarm(command, toFamily(command.row), bed);
      findings.push(...harm.map((each) => `${command.line}: ${each}`));
      ran.add(command.row[0]);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return {
    rows: ran,
    missing: new Set(missing.map(([pattern]) => pattern)),
    ran: count,
    asked,
    findings: findings.sort(),
  };
}

const compiler = createPolicyCompiler();

async function isAllowed(line: string, { rules, bed }: SweepOptions): Promise<boolean> {
  const folders = { workspace: [bed.hostile], adHoc: [], cwd: bed.hostile };
  const readGit = createReadGit([bed.hostile], bed.env);
  const flat = { shell: 'bash', platform: 'linux', headless: false } as const;
  const policy = { rules, folders, readGit, ...flat };
  const { decision } = await evaluate(
    {
      tool: 'bash',
      input: { command: line },
      subjects: [{ permission: 'bash', capability: 'shell.run', target: line, match: 'command' }],
    },
    compiler.compile(policy),
  );
  return decision === 'allow';
}

/** Builtins are always at hand, and so are the operands that a tool didn't have to make. */
function isAtHand([pattern]: CommandRow, { env, hostile }: Bed): boolean {
  const [program = ''] = pattern.split(' ');
  if (BUILTINS.has(program)) return true;
  const folders = (env['PATH'] ?? '').split(':');
  if (!folders.some((folder) => existsSync(path.join(folder, program)))) return false;
  const operand = NEEDED.find(([rows]) => rows.test(pattern))?.[1];
  return operand === undefined || existsSync(path.join(hostile, operand));
}

const BUILTINS: ReadonlySet<string> = new Set(
  'cd set exit return break continue wait type command time export ulimit umask jobs read : [['.split(
    ' ',
  ),
);

const NEEDED: readonly (readonly [RegExp, string])[] = [
  [/^(?:unzip|zipinfo)/, 'x.zip'],
  [/^tar .*j/, 'x.tarj'],
  [/^tar .*J/, 'x.tarJ'],
  [/^xz/, 'z.txt.xz'],
  [/^bzcat/, 'z.txt.bz2'],
];

function split<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** Draws commands so that as many rows as possible have one. */
function draw(all: readonly RowCommand[], most: number, random: () => number): RowCommand[] {
  const keyed = all.map((command) => ({ command, key: random() })).sort((a, b) => a.key - b.key);
  const seen = new Set<string>();
  const [first, others] = split(keyed, ({ command: { row } }) => {
    const fresh = !seen.has(row[0]);
    return fresh && seen.add(row[0]) !== undefined;
  });
  return [...first, ...others].slice(0, most).map(({ command }) => command);
}

/** A small deterministic generator (mulberry32), with values in [0, 1). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
