import path from 'node:path';
import type { Parser } from '@vscode/tree-sitter-wasm';
import fc from 'fast-check';
import { evaluate } from '../../src/permissions/evaluate/evaluate.ts';
import type { Policy } from '../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../src/permissions/rules/policyCompiler.ts';
import { loadGrammar } from '../../src/permissions/shell/grammars.ts';
import { anyLine } from './grammar.ts';
import { bashParses, runLines } from './groundTruth.ts';

export interface FuzzResult {
  readonly lines: number;
  /** Lines the rules allowed: the only ones that can be wrong, so the only ones that are run. */
  readonly allowed: number;
  /** Programs that real bash started. */
  readonly started: number;
  readonly misses: readonly Miss[];
  readonly isolated: boolean;
}

export interface Miss {
  readonly line: string;
  readonly why: string;
}

/** Everything is allowed that a rule can allow, so that only what the analysis does not see is left. */
const POLICY: Policy = {
  rules: [
    { permission: 'bash', pattern: '*', action: 'allow', source: 'session' },
    { permission: 'fs.write', pattern: '**', action: 'allow', source: 'session' },
    { permission: 'fs.read', pattern: '**', action: 'allow', source: 'session' },
  ],
  folders: { workspace: ['/nonexistent'], adHoc: [], cwd: '/nonexistent' },
  shell: 'bash',
  platform: 'linux',
  headless: false,
};

/** One driver process runs this many lines. */
const BATCH = 1000;

/**
 * Judges generated lines and runs those that are allowed by real bash: every program that started
 * must have been named in the decision. A line that bash or the second grammar cannot parse must
 * not be allowed.
 */
export async function fuzz(
  count: number,
  seed: number,
  report: (done: number) => void = () => undefined,
): Promise<FuzzResult> {
  const parser = await loadGrammar('bash');
  if (parser === undefined) throw new Error('The grammar could not be loaded.');
  const misses: Miss[] = [];
  const total = { lines: 0, allowed: 0, started: 0, isolated: true };
  for (let at = 0; at < count; at += BATCH) {
    const lines = fc.sample(anyLine, { numRuns: Math.min(BATCH, count - at), seed: seed + at });
    const evaluated: { line: string; named: ReadonlySet<string> }[] = [];
    for (const line of lines) {
      const named = await namesIfAllowed(line);
      if (named === undefined) continue;
      evaluated.push({ line, named });
      const fault = findParseFault(line, parser);
      if (fault !== undefined) misses.push({ line, why: fault });
    }
    const truth = runLines(evaluated.map(({ line }) => line));
    evaluated.forEach(({ line, named }, index) => {
      for (const program of truth.started[index] ?? []) {
        total.started += 1;
        if (named.has(program) || !startsAlone(line, program)) continue;
        misses.push({ line, why: `${program} started unseen` });
      }
    });
    total.lines += lines.length;
    total.allowed += evaluated.length;
    total.isolated &&= truth.isolated;
    report(total.lines);
  }
  return { ...total, misses };
}

/** The lines of a batch share a folder: one may have written into a program that another runs by its path. */
const compiler = createPolicyCompiler();

function startsAlone(line: string, program: string): boolean {
  return runLines([line]).started[0]?.has(program) === true;
}

/** The programs that an allowed line's decision names; undefined when it is not allowed. */
async function namesIfAllowed(line: string): Promise<ReadonlySet<string> | undefined> {
  const call = {
    tool: 'bash',
    input: { command: line },
    subjects: [{ permission: 'bash', capability: 'shell.run', target: line, match: 'command' }],
  } as const;
  const { decision, subjects } = await evaluate(call, compiler.compile(POLICY));
  if (decision !== 'allow') return undefined;
  return new Set(subjects.map(({ target }) => path.basename(target.split(' ', 1)[0] ?? '')));
}

/** Where the second grammar sees an error, bash has the last word. */
function findParseFault(line: string, parser: Parser): string | undefined {
  const tree = parser.parse(line);
  const hasError = tree?.rootNode.hasError ?? true;
  tree?.delete();
  if (!hasError || bashParses(line)) return undefined;
  return 'bash cannot parse it, and it was allowed';
}
