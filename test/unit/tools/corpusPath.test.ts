import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { parseRules } from '../../../src/permissions/rules/parseRules.ts';
import { type Policy, UNREADABLE } from '../../../src/permissions/rules/policy.ts';
import { parseRequirements } from '../../../src/tools/parseRequirements.ts';
import { cpuTime } from '../cpuTime.ts';
import { evaluate } from '../permissions/ask.ts';
import { type Bed, type Called, gatehouseCall, openBed } from './bed.ts';
import { type CorpusCase, readCorpus, rulesOf } from './corpus.ts';

/** What lies outside every root; no answer may ever hold it. */
const SECRET = 'outside-secret-content';

for (const each of readCorpus('path')) {
  const here = each.platform === undefined || each.platform.includes(process.platform);
  if (!here) {
    // The disk of that platform is not here, but its rules are.
    for (const platform of each.platform ?? []) {
      test(`${each.id} ${each.tool} is ${each.expect}, judged as on ${platform}`, () =>
        evaluateAs(platform, each));
    }
    continue;
  }
  const race = Reflect.get(each.setup ?? {}, 'race');
  test(`${each.id} ${each.tool} is ${each.expect}`, () =>
    race === undefined ? runCase(each) : runRace(each));
}

async function runCase(each: CorpusCase): Promise<void> {
  using bed = openBed(String(each.setup?.['workspace_root_name'] ?? 'work'));
  prepare(bed, each);
  const before = listAll(bed.outside);
  let called: Called | undefined;
  const took = await cpuTime(async () => {
    called = await call(bed, each);
  });
  assert.ok(called);

  assertOutcome(each, called);
  if (each.limit_ms !== undefined) {
    assert.ok(took < each.limit_ms, `${took} ms, allowed are ${each.limit_ms}`);
  }
  assert.deepEqual(listAll(bed.outside), before, 'something changed outside the workspace');
  assert.ok(!JSON.stringify(called.envelope).includes(SECRET), 'outside content came back');
  if (each.tool === 'glob') assertInside(called);
  if (each.id === 'PA-098') assertCut(called);
  assert.ok(!existsSync(path.join(bed.workspace, 'evil-ran')), 'a program of the case was started');
}

async function evaluateAs(platform: string, each: CorpusCase): Promise<void> {
  assert.ok(platform === 'win32' || platform === 'darwin');
  const root = platform === 'win32' ? 'C:/work' : '/work-of-the-test';
  const requirements = await parseRequirements(each.capabilities);
  assert.ok(requirements.ok);
  const policy: Policy = {
    rules: parseRules(rulesOf(each)).rules,
    capabilities: requirements.data,
    folders: { workspace: [root], adHoc: [], cwd: root },
    shell: 'bash',
    platform,
    headless: false,
    readGit: UNREADABLE,
  };
  const target = String(each.input['path']);
  const subject = { permission: 'read', capability: 'fs.read', target, match: 'path' } as const;
  const call = { tool: each.tool, input: each.input, subjects: [subject] as const };
  const { decision } = await evaluate(call, policy);
  assert.ok([each.expect, ...(each.also_ok ?? [])].includes(decision), decision);
}

function call(bed: Bed, each: CorpusCase): Promise<Called> {
  const folders = each.setup?.['workspace_folders'];
  return gatehouseCall(bed, each.tool, toInput(each, bed), {
    workspace: Array.isArray(folders) ? [] : [bed.workspace],
    rules: rulesOf(each),
    ...(each.capabilities !== undefined && { capabilities: each.capabilities }),
  });
}

function toInput({ input, tool }: CorpusCase, bed: Bed): unknown {
  const text = fill(JSON.stringify(input), bed);
  const value: Record<string, unknown> = JSON.parse(text);
  // The corpus calls grep's filter by another name than the issue does.
  const { glob, ...rest } = value;
  return tool === 'grep' && glob !== undefined ? { ...rest, include: glob } : value;
}

function fill(text: string, { root, workspace, outside }: Bed): string {
  return text
    .replaceAll('{workspace-parent}', root)
    .replaceAll('{workspace}', workspace)
    .replaceAll('{outside}', outside);
}

/** Names are content too: no entry leads out of the workspace, or to what lies there. */
function assertInside({ envelope }: Called): void {
  if (envelope.type === 'error') return;
  const text = JSON.stringify(envelope.data);
  assert.doesNotMatch(text, /"(\/|\.\.)|secret|passwd/);
}

/** PA-098: each line is cut, and so is the number of matches. */
function assertCut({ envelope }: Called): void {
  assert.ok(envelope.type === 'output');
  assert.ok(JSON.stringify(envelope).length < 200_000);
}

/** Headless, an ask is reported as a deny; refuse, deny and error are all errors of the envelope. */
function assertOutcome(each: CorpusCase, { envelope, exitCode }: Called): void {
  const wanted = [each.expect, ...(each.also_ok ?? [])];
  const got = envelope.type === 'output' ? 'ok' : 'error';
  const accepted = new Set(wanted.map((name) => (name === 'ok' ? 'ok' : 'error')));
  const text = JSON.stringify(envelope).slice(0, 400);
  assert.ok(accepted.has(got), `wanted ${wanted.join(' or ')}: ${text}`);
  assert.equal(exitCode, got === 'ok' ? 0 : 1);
  if (envelope.type !== 'error' || wanted.includes('ok')) return;
  if (each.expect === 'refuse' && each.also_ok === undefined) {
    assert.match(envelope.error_text, /^The agent's capabilities don't allow this call: /);
  }
  if (each.expect === 'ask') assert.match(envelope.error_text, /it is denied|always asks/);
}

function prepare(bed: Bed, { setup = {} }: CorpusCase): void {
  const { workspace, outside } = bed;
  for (const folder of ['src', 'docs', 'a']) mkdirSync(path.join(workspace, folder));
  for (const file of ['src/f', 'src/x.ts', 'docs/x', 'x']) {
    writeFileSync(path.join(workspace, file), 'inside');
  }
  writeFileSync(path.join(outside, 'secret'), SECRET);
  writeFileSync(path.join(bed.root, 'secret'), SECRET);
  writeFileSync(path.join(workspace, 'evil'), '#!/bin/sh\ntouch evil-ran\n', { mode: 0o755 });
  execFileSync('git', ['init', '-q'], { cwd: workspace });
  const entries = (name: string) => Object.entries(Reflect.get(setup, name) ?? {});

  for (const [file, content] of entries('files')) {
    const full = path.resolve(workspace, fill(file, bed));
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, toContent(String(content)));
  }
  for (const [name, target] of entries('symlinks')) {
    const full = path.join(workspace, name);
    mkdirSync(path.dirname(full), { recursive: true });
    if (existsSync(full)) rmSync(full, { recursive: true });
    symlinkSync(fill(String(target), bed), full);
  }
  for (const [name, target] of entries('hardlinks')) {
    const full = fill(String(target), bed);
    writeFileSync(full, SECRET);
    linkSync(full, path.join(workspace, name));
  }
  const pipes = setup['fifo'];
  if (Array.isArray(pipes)) {
    for (const name of pipes) execFileSync('mkfifo', [path.join(workspace, String(name))]);
  }
  if (setup['deep_tree'] !== undefined) {
    const folders = Array.from({ length: Number(setup['deep_tree']) }, () => 'd');
    mkdirSync(path.join(workspace, ...folders), { recursive: true });
    writeFileSync(path.join(workspace, ...folders, 'x'), '');
  }
}

function toContent(text: string): string {
  if (text === 'a*100000 + !') return `${'a'.repeat(100_000)}!`;
  if (text === '50 MB single line') return 'x'.repeat(50 * 1024 * 1024);
  return text;
}

function listAll(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const full = path.join(entry.parentPath, entry.name);
    return entry.isFile() ? `${full}: ${readFileSync(full, 'utf8')}` : full;
  });
}

/** Another thread swaps a folder for a link to the outside while calls go on. */
async function runRace(each: CorpusCase): Promise<void> {
  using bed = openBed();
  prepare(bed, each);
  writeFileSync(path.join(bed.outside, 'f'), SECRET);
  mkdirSync(path.join(bed.workspace, 'flip'));
  writeFileSync(path.join(bed.workspace, 'flip', 'f'), 'inside');
  const stop = new SharedArrayBuffer(4);
  const flipper = new Worker(FLIPPER, {
    eval: true,
    workerData: { workspace: bed.workspace, outside: bed.outside, stop },
  });
  try {
    for (let round = 0; round < 1000; round += 20) {
      // Side by side, so that the swaps meet calls in every state.
      const called = await Promise.all(Array.from({ length: 20 }, () => call(bed, each)));
      const answers = JSON.stringify(called.map(({ envelope }) => envelope));
      assert.ok(!answers.includes(SECRET), 'outside content came back');
      assert.equal(readFileSync(path.join(bed.outside, 'f'), 'utf8'), SECRET);
    }
  } finally {
    Atomics.store(new Int32Array(stop), 0, 1);
    await new Promise((resolve) => flipper.once('exit', resolve));
  }
  assert.deepEqual(readdirSync(bed.outside).sort(), ['f', 'secret']);
}

const FLIPPER = `
const { workerData: { workspace, outside, stop } } = require('node:worker_threads');
const fs = require('node:fs');
const done = new Int32Array(stop);
const flip = workspace + '/flip', kept = workspace + '/kept';
while (Atomics.load(done, 0) === 0) {
  try {
    fs.renameSync(flip, kept); fs.symlinkSync(outside, flip);
    fs.unlinkSync(flip); fs.renameSync(kept, flip);
  } catch {}
}
`;
