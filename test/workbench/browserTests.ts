import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { ensureChromium } from './chromium.ts';
import { installServer } from './install.ts';
import { nodeTestArguments, parseSuiteResult } from './nodeTest.ts';
import { RESULTS, ROOT, TRACES } from './paths.ts';
import { reportSuite, type SuiteResult } from './suite.ts';
import { buildVsix } from './vsix.ts';

/**
 * `npm run test:browser [words of a file's name …]`: Playwright on the installed .vsix, in two
 * processes side by side. The files of a process share one server and one Chromium.
 * `TEST_VSIX` names a package that is built already. `--seconds` writes how long each file took, by
 * which the next run shares the files out.
 */
const LANES = 2;
/** Checks the traces of all other files, so it comes after them. */
const LAST = 'wire.test.ts';
const FOLDER = path.join(ROOT, 'test/browser');
/** Files that `npm test` leaves to `npm run test:browser`, as `wholeTest` of variants.ts does with tests. */
const WHOLE: ReadonlySet<string> = new Set(
  [
    ...['afterwardsLook', 'afterwardsReload', 'attachedKinds', 'cardLook', 'comments'],
    ...['editPatch', 'focus', 'fourEdits', 'hiddenSessions', 'largeReview', 'meanwhile'],
    ...['menus', 'newTool', 'noticeClicks', 'notification', 'place', 'reviewVoice'],
    ...['secondWindow', 'sessionsLook', 'sourceControl', 'toolsView', 'typedText'],
    ...['userSettings', 'viewSizes'],
  ].map((name) => `${name}.test.ts`),
);
/** How long each file took, in seconds. */
const SECONDS = path.join(FOLDER, 'seconds.json');
/** What a test opens that does not take the plain window. */
const OWN_WINDOW = /openScene\(t, |Workbench\.open\(/;
/** What a file takes that was never measured. */
const UNMEASURED = 20;

const words = process.argv.slice(2).filter((word) => word !== '--seconds');
const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => process.env['TEST_SCOPE'] !== 'usual' || !WHOLE.has(name))
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
// Without a file, Node's runner would run every test of the repository.
const unknown = words.filter((word) => !files.some((name) => name.includes(word)));
if (unknown.length > 0)
  throw new Error(`No file in test/browser is named like ${unknown.join(', ')}.`);
const vsix = process.env['TEST_VSIX'] || buildVsix();
// Once, before the lanes start: apt-get lets only one process install.
installServer();
ensureChromium();

rmSync(path.join(RESULTS, 'screenshots'), { recursive: true, force: true, maxRetries: 5 });
rmSync(TRACES, { recursive: true, force: true, maxRetries: 5 });
const scratch = mkdtempSync(path.join(tmpdir(), 'gatehouse-browser-'));
const lanes = toLanes(files.filter((name) => name !== LAST));
const results = await Promise.all(lanes.map((lane, at) => run(lane, `lane-${at}`)));
if (files.includes(LAST)) results.push(await run([LAST], 'last'));
rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
if (process.argv.includes('--seconds')) writeSeconds(results);
reportSuite('browser', {
  passed: results.reduce((sum, { passed }) => sum + passed, 0),
  failed: results.flatMap(({ failed }) => failed),
});

/** Shares the files out so that each lane takes about as long. */
function toLanes(names: readonly string[]): readonly (readonly string[])[] {
  const count = Math.min(LANES, availableParallelism(), names.length);
  const lanes = Array.from({ length: count }, () => ({ seconds: 0, names: [] as string[] }));
  const measured = readSeconds();
  const files = names.map((name) => ({ name, seconds: measured[name] ?? UNMEASURED }));
  for (const { name, seconds } of files.sort((one, other) => other.seconds - one.seconds)) {
    const lane = lanes.reduce((least, each) => (each.seconds < least.seconds ? each : least));
    lane.names.push(name);
    lane.seconds += seconds;
  }
  return lanes.map((lane) => [...lane.names].sort(byWindow));
}

/**
 * Files whose tests share the plain window come one after the other: others open their own beside it, and only
 * so many stay open (`MOST_WINDOWS` of scene.ts).
 */
function byWindow(one: string, other: string): number {
  const rank = (name: string) =>
    Number(OWN_WINDOW.test(readFileSync(path.join(FOLDER, name), 'utf8')));
  return rank(one) - rank(other) || one.localeCompare(other);
}

function readSeconds(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(SECONDS, 'utf8'));
}

function writeSeconds(results: readonly SuiteResult[]): void {
  const now = results.flatMap(({ seconds = {} }) => Object.entries(seconds));
  const rounded = now.map(([name, seconds]) => [name, Math.ceil(seconds)] as const);
  const all = Object.entries({ ...readSeconds(), ...Object.fromEntries(rounded) });
  const left = all.filter(([name]) => name.endsWith('.test.ts')).sort();
  writeFileSync(SECONDS, `${JSON.stringify(Object.fromEntries(left), undefined, 2)}\n`);
}

async function run(names: readonly string[], name: string): Promise<SuiteResult> {
  const counts = path.join(scratch, `${name}.json`);
  const child = spawn(
    process.execPath,
    [
      ...nodeTestArguments(counts),
      ...['--test-isolation=none', '--test-timeout=400000', '--test-force-exit'],
      ...names.map((each) => path.join(FOLDER, each)),
    ],
    {
      cwd: ROOT,
      env: { ...process.env, TEST_VSIX: vsix },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  await new Promise<void>((resolve) => {
    child.on('close', () => resolve());
    child.on('error', (error) => {
      console.error(error.message);
      resolve();
    });
  });
  return parseSuiteResult(counts);
}
