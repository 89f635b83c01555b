import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { evaluate as evaluateCompiled } from '../../../src/permissions/evaluate/evaluate.ts';
import type { Call, Candidate, Decision, Policy } from '../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../src/permissions/rules/policyCompiler.ts';
import type { Action, Rule, Scope } from '../../../src/permissions/rules/rule.ts';
import type { Subject } from '../../../src/permissions/rules/subject.ts';
import { createReadGit } from '../../../src/runtime/commands/readGit.ts';

/** Rules as lines: `permission pattern action [source]`, the pattern with spaces. */
export function rulesOf(...lines: readonly string[]): readonly Rule[] {
  return lines.map((line) => {
    const match = /^(\S+) (.+) (allow|ask|deny)(?: (manifest|project|session))?$/.exec(line);
    if (match === null) throw new Error(`not a rule: ${line}`);
    const [, permission = '', pattern = '', action, source = 'session'] = match;
    return { permission, pattern, action: action as Action, source: source as Scope };
  });
}

const planted: string[] = [];
process.once('exit', () => {
  for (const each of planted) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
});

/** A workspace that holds what the rules of the tests are about, since sweeps are decided by it. */
export const WORKSPACE = plantWorkspace([
  '.env',
  'src/.env',
  'src/locked.ts',
  'src/f',
  'src/k',
  'src/a.py',
  'sub/.env',
  'out/locked.ts',
  'secrets/a',
  'secrets/a.py',
  'conf.d/a.py',
  'certs/.a.key',
]);

/** A new folder with these files, removed when the process ends. */
export function plantWorkspace(files: readonly string[]): string {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'planted-')));
  planted.push(base);
  const root = path.join(base, 'workspace');
  mkdirSync(root);
  for (const file of files) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), `${file}\n`);
  }
  return root;
}

export function policyOf(rules: readonly Rule[], more: Partial<Policy> = {}): Policy {
  return {
    rules,
    folders: { workspace: [WORKSPACE], adHoc: [], cwd: WORKSPACE },
    shell: 'bash',
    platform: 'linux',
    headless: false,
    // What a machine that is busy with other tests needs at most.
    lookMs: 60_000,
    readGit: createReadGit(more.folders?.workspace ?? [WORKSPACE]),
    ...more,
  };
}

const compiler = createPolicyCompiler();

/** The decision on one call under a policy, which is compiled when it is new. */
export function evaluate(call: Call, policy: Policy): Promise<Decision> {
  return evaluateCompiled(call, compiler.compile(policy));
}

export function bashCall(command: string) {
  const subject = {
    permission: 'bash',
    capability: 'shell.run',
    target: command,
    match: 'command',
  };
  return { tool: 'bash', input: { command }, subjects: [subject as Subject] } as const;
}

/** A judgement as a person sees it who was asked: what "always" would store is worked out. */
export type Shown = Omit<Decision, 'candidates'> & { readonly candidates: readonly Candidate[] };

export async function show(judging: Promise<Decision>): Promise<Shown> {
  const decision = await judging;
  return { ...decision, candidates: decision.candidates() };
}

/** The judgement on a bash line under rules given as lines. */
export function evaluateBash(
  command: string,
  rules: readonly string[] = [],
  more: Partial<Policy> = {},
): Promise<Shown> {
  return show(evaluate(bashCall(command), policyOf(rulesOf(...rules), more)));
}

/** The judgement on a call of a file tool. */
export function evaluateFileTool(
  tool: string,
  path: string,
  rules: readonly string[] = [],
  more: Partial<Policy> = {},
): Promise<Shown> {
  const touches = { read: ['fs.read'], write: ['fs.write'], edit: ['fs.read', 'fs.write'] }[
    tool
  ] ?? ['fs.read'];
  const subjects = touches.map(
    (capability): Subject => ({ permission: tool, capability, target: path, match: 'path' }),
  );
  const [first, ...others] = subjects;
  if (first === undefined) throw new Error('no subject');
  return show(
    evaluate(
      { tool, input: { path }, subjects: [first, ...others] },
      policyOf(rulesOf(...rules), more),
    ),
  );
}
