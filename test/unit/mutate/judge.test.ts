import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Job, Judge, type Known, type Outcome } from '../../mutate/judge.ts';
import { ROOT } from '../../mutate/kept.ts';
import { selectTests, type Test } from '../../mutate/measure.ts';
import { type Answer, startWorker } from '../../mutate/process.ts';

const JOB: Job = { file: 'src/permissions/a.ts', at: 5, from: ' === ', to: ' !== ' };
const FIRST = toTest('first');
const SECOND = toTest('second');

function toTest(name: string, source = 'a.ts'): Test {
  return {
    file: path.join(ROOT, `${name}.test.ts`),
    test: 0,
    cpu: 1,
    covered: { [source]: [[0, 9]] },
    inOrder: false,
  };
}

/** What happens to a test: `ask` is called for each trial, in a process that is counted. */
type Script = (
  name: string,
  trial: { readonly changed: boolean; readonly process: number },
) => 'passes' | 'fails' | 'timedOut' | 'died';

async function judge(script: Script, tests: readonly Test[] = [FIRST, SECOND], partly = false) {
  let processes = 0;
  const said: string[] = [];
  const known: Known = {
    tests,
    partly,
    budget: 1000,
    kills: new Map(),
    red: new Set(),
    report: (text) => said.push(text),
  };
  const start = () => {
    processes += 1;
    const process = processes;
    let over = false;
    return {
      ask: async (trial: object): Promise<Answer> => {
        assert.ok(!over, 'A process that was cut short is asked again.');
        assert.ok('mutant' in trial && 'tests' in trial);
        const { mutant, tests: asked } = trial as { mutant: Job; tests: readonly Test[] };
        for (const { file, test } of asked) {
          const name = path.basename(file, '.test.ts');
          const end = script(name, { changed: mutant.from !== '', process });
          if (end === 'fails') return { killedBy: { file, test } };
          if (end === 'passes') continue;
          over = true;
          return { ended: end, at: { file, test } };
        }
        return { allPassed: true };
      },
      stop: () => undefined,
    };
  };
  const outcome = await new Judge(known, start).judge(JOB);
  return { outcome, said, processes };
}

test('a mutant is killed by a test that passes without it', async () => {
  const { outcome, said } = await judge((name, { changed }) =>
    changed && name === 'second' ? 'fails' : 'passes',
  );
  assert.deepEqual([outcome, said], [{ kind: 'killed' }, []]);
});

test('a test that fails without a mutant is told and kills none', async () => {
  const { outcome, said } = await judge((name) => (name === 'first' ? 'fails' : 'passes'));
  assert.deepEqual(outcome, { kind: 'survived', all: false });
  assert.deepEqual(said, ['left out: test 0 of first.test.ts fails without a mutant\n']);
});

test('a mutant whose only tests fail without it is not judged', async () => {
  const { outcome, said } = await judge(() => 'fails');
  assert.deepEqual(outcome, { kind: 'notJudged' });
  assert.equal(said.length, 2);
});

test('a mutant that no test runs is not judged', async () => {
  const { outcome } = await judge(() => 'passes', [toTest('other', 'b.ts')]);
  assert.deepEqual(outcome, { kind: 'notJudged' });
});

test('a test that fails with a mutant and then without it kills none', async () => {
  let failed = false;
  const { outcome, said } = await judge((name, { changed }) => {
    if (name !== 'first') return 'passes';
    failed ||= changed;
    return failed ? 'fails' : 'passes';
  });
  assert.deepEqual(outcome, { kind: 'survived', all: false });
  assert.deepEqual(said, ['left out: test 0 of first.test.ts fails without a mutant\n']);
});

for (const end of ['timedOut', 'died'] as const) {
  test(`a mutant that is ${end} in two processes is told as such`, async () => {
    const { outcome, processes } = await judge((name, { changed }) =>
      changed && name === 'second' ? end : 'passes',
    );
    assert.deepEqual([outcome, processes], [{ kind: end }, 3]);
  });

  test(`a mutant that is ${end} in the first process only is judged by the second`, async () => {
    const { outcome } = await judge((_name, { changed, process }) =>
      changed && process === 1 ? end : 'passes',
    );
    assert.deepEqual(outcome, { kind: 'survived', all: true });
  });

  test(`a test that is ${end} without a mutant is told and left out`, async () => {
    const { outcome, said } = await judge((name) => (name === 'first' ? end : 'passes'));
    assert.deepEqual(outcome, { kind: 'survived', all: false });
    assert.match(said.join(''), /^left out: test 0 of first\.test\.ts \D+ without a mutant\n$/);
  });
}

test('a survivor of a part of the test files is no survivor of all tests', async () => {
  const { outcome } = await judge(() => 'passes', [FIRST, SECOND], true);
  assert.deepEqual(outcome, { kind: 'survived', all: false });
});

test('tests of a file that needs its order run in it', () => {
  const file = (name: string, inOrder: boolean) =>
    [0, 1, 2].map((index) => ({ ...toTest(name), test: index, inOrder }));
  const killsBy = ({ test: index }: Test) => index;
  const tests = [...file('ordered', true), ...file('free', false)];
  const { tests: chosen } = selectTests(JOB, tests, killsBy, 1000);
  const places = (name: string) =>
    chosen.filter((each) => each.file.endsWith(`${name}.test.ts`)).map((each) => each.test);
  assert.deepEqual(
    [places('ordered'), places('free')],
    [
      [0, 1, 2],
      [2, 1, 0],
    ],
  );
});

/** Judges a mutant of a source in a real process, with tests that run it. */
async function judgeFiles(context: TestContext, tests: readonly string[]): Promise<Outcome> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mutate-'));
  context.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const file = path.join(folder, 'tests.ts');
  const source = 'export const isOne = (value: number) => value === 1;\n';
  writeFileSync(path.join(folder, 'source.ts'), source);
  const head =
    "import { test } from 'node:test';\nimport { isOne } from './source.ts';\nlet count = 0;\n";
  writeFileSync(file, head + tests.map((body) => `test('', () => { ${body} });\n`).join(''));
  const job = { ...JOB, file: path.relative(ROOT, path.join(folder, 'source.ts')) };
  const covered = { [path.relative('src/permissions', job.file)]: [[0, 99]] } as const;
  const known: Known = {
    tests: tests.map((_body, index) => ({ file, test: index, cpu: 1, covered, inOrder: false })),
    partly: false,
    budget: 1000,
    kills: new Map(),
    red: new Set(),
    report: () => undefined,
  };
  // Only Linux tells what a process computes; elsewhere the clock ends the endless one.
  const waitMs = process.platform === 'linux' ? 300_000 : 5000;
  const limits = { startMs: 500, waitMs, lookMs: 50 };
  const judge = new Judge(known, () => startWorker(limits));
  context.after(() => judge.stop());
  return judge.judge({ ...job, at: source.indexOf(' === ') });
}

const COUNTS = 'isOne(++count); if (count > 1) throw new Error(); ';
const PASSES = 'isOne(1);';
const FAILS = "if (!isOne(1)) throw new Error('no');";

for (const [what, tests, outcome] of [
  ['a failing test', [PASSES, FAILS], { kind: 'killed' }],
  ['an endless test', [PASSES, 'while (!isOne(1));'], { kind: 'timedOut' }],
  ['an exit', ['if (!isOne(1)) process.exit();'], { kind: 'died' }],
  ['a survivor', [PASSES, PASSES], { kind: 'survived', all: true }],
  ['a test that fails anyway', ["throw new Error('red');"], { kind: 'notJudged' }],
] as const)
  test(`a real process tells ${what} apart`, async (t) => {
    assert.deepEqual(await judgeFiles(t, tests), outcome);
  });

test('a test that fails only after another of its file kills none', async (t) => {
  const outcome = await judgeFiles(t, [COUNTS, COUNTS]);
  assert.deepEqual(outcome, { kind: 'survived', all: false });
});
