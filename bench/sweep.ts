import { spawn } from 'node:child_process';
import { evaluate } from '../src/permissions/evaluate/evaluate.ts';
import type { Policy } from '../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../src/permissions/rules/policyCompiler.ts';
import { findRipgrep } from '../src/runtime/search/ripgrep.ts';
import { interleave, type Row } from './row.ts';
import { openToolBed, plantCorpus } from './toolBed.ts';

const ROUNDS = 21;
const FILES = 12_000;

/** Deciding about a sweep under a deny, compared with listing the same files by ripgrep. */
export async function sweepRows(): Promise<readonly Row[]> {
  const rg = await findRipgrep(undefined);
  if (!rg.ok) throw new Error(rg.error);
  using bed = openToolBed();
  plantCorpus(bed.workspace, FILES);
  const compiler = createPolicyCompiler();
  const rows: Row[] = [];
  for (const [name, command] of [
    ['a sweep under a deny', 'grep -rn TODO .'],
    ['a sweep that follows links', 'grep -Rn TODO .'],
  ] as const) {
    const contenders = {
      ours: () => decide(command, compiler.compile(policyOf(bed.workspace))),
      raw: () => timeRaw(rg.data, bed.workspace),
    };
    await interleave(2, contenders);
    const { ours, raw } = await interleave(ROUNDS, contenders);
    rows.push({
      goal: `${name}, ${FILES} files`,
      anchor: `rg --files --hidden --no-ignore ${raw.toFixed(0)} ms`,
      ratio: ours / raw,
      limit: 1.3,
    });
  }
  return rows;
}

function policyOf(workspace: string): Policy {
  return {
    rules: [
      { permission: 'bash', pattern: '*', action: 'allow', source: 'session' },
      { permission: '*', pattern: '**/.env', action: 'deny', source: 'session' },
    ],
    folders: { workspace: [workspace], adHoc: [], cwd: workspace },
    shell: 'bash',
    platform: process.platform,
    headless: false,
  };
}

async function decide(
  command: string,
  compiled: ReturnType<ReturnType<typeof createPolicyCompiler>['compile']>,
): Promise<number> {
  const started = performance.now();
  const subject = {
    permission: 'bash',
    capability: 'shell.run',
    target: command,
    match: 'command',
  } as const;
  const { decision, reason } = await evaluate(
    { tool: 'bash', input: { command }, subjects: [subject] },
    compiled,
  );
  const took = performance.now() - started;
  if (decision !== 'allow') throw new Error(reason);
  return took;
}

async function timeRaw(rg: string, cwd: string): Promise<number> {
  const started = performance.now();
  const args = ['--no-config', '--files', '--hidden', '--no-ignore', './'];
  const child = spawn(rg, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  await new Promise((resolve) => child.once('close', resolve));
  return performance.now() - started;
}
