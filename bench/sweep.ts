import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { evaluate } from '../src/permissions/evaluate/evaluate.ts';
import type { Policy } from '../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../src/permissions/rules/policyCompiler.ts';
import { createReadGit } from '../src/runtime/commands/readGit.ts';
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
  rows.push(await globRow());
  return rows;
}

const ENTRIES = 6000;
const MATCHES = 300;

/** Deciding about the matches of a glob, compared with bash, which expands it. */
async function globRow(): Promise<Row> {
  using bed = openToolBed();
  mkdirSync(path.join(bed.workspace, 'many'));
  for (let index = 0; index < ENTRIES; index += 1) {
    const name = index < MATCHES ? `m${index}.ts` : `x${index}.js`;
    writeFileSync(path.join(bed.workspace, 'many', name), '');
  }
  const compiler = createPolicyCompiler();
  const contenders = {
    ours: () => decide('wc -l many/m*.ts', compiler.compile(policyOf(bed.workspace))),
    raw: () => time('bash', ['-c', ': many/m*.ts'], bed.workspace),
  };
  await interleave(2, contenders);
  const { ours, raw } = await interleave(ROUNDS, contenders);
  return {
    goal: `a glob with ${MATCHES} matches among ${ENTRIES} files`,
    anchor: `bash -c ': many/m*.ts' ${raw.toFixed(0)} ms`,
    ratio: ours / raw,
    limit: 1.5,
  };
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
    readGit: createReadGit([workspace]),
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

function timeRaw(rg: string, cwd: string): Promise<number> {
  return time(rg, ['--no-config', '--files', '--hidden', '--no-ignore', './'], cwd);
}

async function time(program: string, args: readonly string[], cwd: string): Promise<number> {
  const started = performance.now();
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  await new Promise((resolve) => child.once('close', resolve));
  return performance.now() - started;
}
