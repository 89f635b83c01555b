import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ApprovedFile } from '../../../../../src/diff/fileChange.ts';
import { applyHunks, findHunks, keepHunks } from '../../../../../src/diff/hunks.ts';
import { mergeTexts } from '../../../../../src/diff/merge.ts';
import type { AskReply, AskRequest } from '../../../../../src/gate/ask.ts';
import { reviewOnce } from '../../../../../src/host/session/review/reviewOnce.ts';
import { openStoredOverlay } from '../../../../../src/host/session/review/storedOverlay.ts';
import { parseRules } from '../../../../../src/permissions/rules/parseRules.ts';
import { UNREADABLE } from '../../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../../src/permissions/rules/policyCompiler.ts';
import type { StoredProposal } from '../../../../../src/recorder/proposals.ts';
import { ALLOW_ALL, openBed } from '../../../tools/bed.ts';
import { openSession } from '../../../tools/session.ts';

const NAMES = ['a.txt', 'b.txt', 'sub/c.txt'] as const;
const SOME = Array.from({ length: 8 }, (_, at) => `line ${at}\n`).join('');

const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('edit' as const), name, line: fc.nat(7) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('write' as const), name, lines: fc.nat(4) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('type' as const), name, line: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      reject: fc.boolean(),
      keep: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      leaveOut: fc.option(name, { nil: undefined }),
      typesMeanwhile: fc.option(name, { nil: undefined }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Answer = Extract<Step, { readonly do: 'answer' }>;

/** A table in memory, as the database has it. */
function openTable() {
  const rows = new Map<string, StoredProposal>();
  return {
    proposals: () => [...rows.values()],
    putProposal: (_: string, row: StoredProposal) => void rows.set(row.path, row),
    removeProposal: (_: string, file: string) => void rows.delete(file),
    hasReview: (_: string, id: string) => [...rows.values()].some((row) => row.reviewId === id),
    renewReview(_: string, from: string, reviewId: string) {
      const found = [...rows.values()].filter((row) => row.reviewId === from);
      for (const row of found) rows.set(row.path, { ...row, reviewId });
      return found.length > 0;
    },
  };
}

test('whatever happens, the agent reads its proposals and the disk has what was approved', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 9 }), async (steps) => {
      using run = openRun();
      for (const [index, each] of steps.entries()) {
        if (each.do === 'answer') await run.answer(each);
        else if (each.do === 'type') run.type(each.name, each.line, `user ${index}`);
        else await run.agent(each, index);
        await run.check();
      }
    }),
    { numRuns: 1000 },
  );
});

function openRun() {
  const bed = openBed();
  const at = (file: string) => path.join(bed.workspace, file);
  for (const file of NAMES.slice(0, 2)) writeFileSync(at(file), SOME);
  const overlay = openStoredOverlay(openTable(), 's', {
    note: () => () => undefined,
    noteEntry: () => () => undefined,
  });
  const session = openSession(bed, { rules: ALLOW_ALL, runtime: { overlay: () => overlay } });
  const disk = (file: string) =>
    existsSync(at(file)) ? readFileSync(at(file), 'utf8') : undefined;
  /** What the agent proposes, and the text it is based on. */
  const model = new Map<string, { base: string | undefined; text: string }>();
  /** Everything that the user typed and no approved change removed. */
  const expected = new Map<string, string | undefined>(NAMES.map((file) => [file, disk(file)]));

  /** The proposal on top of what the user typed meanwhile. */
  function follow(file: string): string | undefined {
    const entry = model.get(file);
    const now = disk(file);
    if (entry === undefined) return now;
    if (entry.base !== now && entry.base !== undefined && now !== undefined) {
      entry.text = mergeTexts(entry.base, now, entry.text).text;
    }
    entry.base = now;
    if (entry.text === now) model.delete(file);
    return entry.text;
  }

  function type(file: string, line: number, text: string): void {
    const before = disk(file);
    if (before === undefined) return;
    const lines = before.split(/(?<=\n)/);
    lines.splice(Math.min(line, lines.length), 0, `${text}\n`);
    writeFileSync(at(file), lines.join(''));
    expected.set(file, lines.join(''));
  }

  function propose(file: string, text: string): void {
    const now = disk(file);
    if (text === now) model.delete(file);
    else model.set(file, { base: now, text });
  }

  async function agent(each: Exclude<Step, { readonly do: 'answer' | 'type' }>, index: number) {
    const seen = follow(each.name);
    if (each.do === 'write') {
      const content = Array.from({ length: each.lines }, (_, n) => `agent ${index} ${n}\n`).join(
        '',
      );
      const done = await session.call('write', { path: each.name, content });
      assert.equal(done.type, 'output', JSON.stringify(done));
      propose(each.name, content);
      return;
    }
    const line = seen?.split('\n')[each.line];
    if (seen === undefined || line === undefined || line === '') return;
    const input = { path: each.name, old_string: `${line}\n`, new_string: `agent ${index}\n` };
    const done = await session.call('edit', input);
    if (done.type === 'output') propose(each.name, seen.replace(`${line}\n`, `agent ${index}\n`));
    else assert.match(done.error_text, /occurs/);
  }

  async function answer(given: Answer) {
    for (const file of NAMES) follow(file);
    let asked = 0;
    const ask = async ({ preview }: AskRequest): Promise<AskReply> => {
      asked += 1;
      const changes = preview?.changes ?? [];
      // What is shown on the left is the file as it is now, and on the right what the agent proposed.
      for (const change of changes) {
        const file = path.relative(bed.workspace, change.path);
        assert.equal(change.oldText, disk(file));
        assert.equal(change.newText, model.get(file)?.text);
      }
      assert.equal(changes.length, model.size);
      if (given.reject) {
        model.clear();
        return { outcome: 'reject' };
      }
      if (given.typesMeanwhile !== undefined)
        type(given.typesMeanwhile, 1, `meanwhile ${Math.random()}`);
      const approved: ApprovedFile[] = [];
      for (const { path: full, oldText = '', newText = '' } of changes) {
        const file = path.relative(bed.workspace, full);
        if (file === given.leaveOut) {
          model.delete(file);
          continue;
        }
        const { kept } = keepHunks(
          findHunks(oldText, newText),
          (_, hunk) => given.keep[hunk] ?? true,
        );
        const text = applyHunks(oldText, kept) ?? '';
        approved.push({ path: full, text });
        const changed = disk(file) !== oldText && (disk(file) !== undefined || oldText !== '');
        // The user typed while the review was open: nothing is written over that.
        if (changed) model.set(file, { base: oldText, text });
        else {
          model.delete(file);
          expected.set(file, text);
        }
      }
      return { outcome: 'allow', approved };
    };
    const policy = {
      rules: parseRules(ALLOW_ALL).rules,
      folders: session.folders,
      shell: 'bash' as const,
      platform: process.platform,
      headless: false,
      readGit: UNREADABLE,
    };
    const { signal } = new AbortController();
    const before = model.size;
    await reviewOnce({
      ...{ id: 'rev', overlay, originals: new Map(), signal, claim: () => overlay.claim() },
      context: { sessionId: 's', policy: () => policy, compiler: createPolicyCompiler(), ask },
      runtime: ({ gate }) => session.runtime.diskRuntime('rev', signal, () => undefined, gate),
    });
    assert.equal(asked, before > 0 ? 1 : 0);
  }

  async function check() {
    for (const file of NAMES) {
      assert.equal(disk(file), expected.get(file), `the disk has ${file}`);
      const seen = follow(file);
      const read = await session.call('read', { path: file });
      if (seen === undefined) assert.equal(read.type, 'error');
      else {
        const { content } = Object(read.type === 'output' ? read.data : {});
        const text = String(content).replaceAll(/^ *\d+\t/gm, '');
        assert.equal(text, seen.replace(/\n$/, ''), `the agent reads ${file}`);
      }
    }
  }

  return {
    ...{ type, agent, answer, check },
    [Symbol.dispose]: () => bed[Symbol.dispose](),
  };
}
