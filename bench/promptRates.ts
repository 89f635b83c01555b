import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_RULES } from '../src/permissions/defaults/defaults.ts';
import { evaluate } from '../src/permissions/evaluate/evaluate.ts';
import { createPolicyCompiler } from '../src/permissions/rules/policyCompiler.ts';
import { createReadGit } from '../src/runtime/commands/readGit.ts';

/** A line of test/fixtures/ordinaryLines.txt, and whether the shipped rules should allow it. */
export interface OrdinaryLine {
  readonly text: string;
  readonly allowed: boolean;
}

/** How the shipped rules decide the lines of one half of the list. */
export interface PromptRates {
  readonly half: 'first' | 'second';
  /** Lines that should be allowed. */
  readonly ordinary: number;
  /** Lines that should be allowed, and ask. */
  readonly needlessAsks: readonly string[];
  /** Lines that should ask or be denied. */
  readonly guarded: number;
  /** Lines that should ask or be denied, and are allowed. */
  readonly wrongAllows: readonly string[];
}

/** Splits the list the same way in every run. The second half was held back while rules changed. */
const SPLIT_SEED = 20_261_122;

/** Files that the lines name. The decision may depend on what exists. */
const FILES = [
  ...['package.json', 'tsconfig.json', 'README.md', 'CHANGELOG.md', 'data.json', 'a.txt', 'b.txt'],
  ...['src/index.ts', 'src/app.ts', 'src/a.ts', 'src/b.ts', 'src/host/session.ts'],
  ...['test/a.test.ts', 'docs/design.md', 'dist/index.js', 'logs/dev.log', 'data/users.csv'],
];

/** Evaluates every line of the list under the shipped rules alone. */
export async function measurePromptRates(): Promise<readonly PromptRates[]> {
  const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-rates-')));
  try {
    for (const file of FILES) {
      mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
      writeFileSync(path.join(workspace, file), '');
    }
    const [first, second] = splitLines(loadOrdinaryLines());
    return [
      await measureHalf('first', first, workspace),
      await measureHalf('second', second, workspace),
    ];
  } finally {
    rmSync(workspace, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function loadOrdinaryLines(): readonly OrdinaryLine[] {
  const file = new URL('../test/fixtures/ordinaryLines.txt', import.meta.url);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^[+?] /.test(line))
    .map((line) => ({ text: line.slice(2).replaceAll('⏎', '\n'), allowed: line.startsWith('+') }));
}

const compiler = createPolicyCompiler();

async function measureHalf(
  half: PromptRates['half'],
  lines: readonly OrdinaryLine[],
  workspace: string,
): Promise<PromptRates> {
  const policy = compiler.compile({
    rules: DEFAULT_RULES,
    folders: { workspace: [workspace], adHoc: [], cwd: workspace },
    shell: 'bash',
    platform: 'linux',
    headless: false,
    readGit: createReadGit([workspace]),
  });
  const needlessAsks: string[] = [];
  const wrongAllows: string[] = [];
  for (const { text, allowed } of lines) {
    const target = text.replaceAll('{workspace}', workspace);
    const { decision } = await evaluate(
      {
        tool: 'bash',
        input: { command: target },
        subjects: [{ permission: 'bash', capability: 'shell.run', target, match: 'command' }],
      },
      policy,
    );
    if (allowed && decision !== 'allow') needlessAsks.push(text);
    if (!allowed && decision === 'allow') wrongAllows.push(text);
  }
  const ordinary = lines.filter(({ allowed }) => allowed).length;
  return { half, ordinary, needlessAsks, guarded: lines.length - ordinary, wrongAllows };
}

type Lines = readonly OrdinaryLine[];

function splitLines(lines: Lines): readonly [Lines, Lines] {
  const random = createRandom(SPLIT_SEED);
  const keyed = lines.map((line) => ({ line, key: random() }));
  const sorted = keyed.sort((a, b) => a.key - b.key).map(({ line }) => line);
  const middle = sorted.length / 2;
  return [sorted.slice(0, middle), sorted.slice(middle)];
}

/** A linear congruential generator; its quality doesn't matter here. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
