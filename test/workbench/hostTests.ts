import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { launchChromium } from './chromium.ts';
import { bundleHostTests, type HostResults } from './hostBundle.ts';
import { RESULTS, ROOT } from './paths.ts';
import { PATIENCE } from './processes.ts';
import { copySample } from './sample.ts';
import { startServer } from './server.ts';
import { reportSuite } from './suite.ts';
import { packFixture } from './vsix.ts';

/** The longest a whole run may take, in milliseconds. */
const LIMIT = 1_800_000;

/** `npm run test:host`: mocha inside the extension host of a real VS Code, in one launch. */
const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-host-'));
const results = path.join(folder, 'results.json');
const sample = copySample();
mkdirSync(RESULTS, { recursive: true });
/** Everything the window says; only a failure makes it worth reading. */
const log = createWriteStream(path.join(RESULTS, 'host.log'));
try {
  const tests = await bundleHostTests(folder);
  await runInHost(tests);
} finally {
  const found = readResults();
  log.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  sample.dispose();
  reportSuite('in-host', found);
}

async function runInHost(tests: string): Promise<void> {
  const server = await startServer({
    driver: true,
    // A tool of another extension, whichever tests run.
    others: [packFixture('toolExtension')],
    env: {
      TEST_RESULTS: results,
      TEST_SAMPLE: sample.folder,
      TEST_GREP: process.env['TEST_GREP'] ?? '',
    },
  });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const ended = new Promise<void>((resolve, reject) => {
      // The two functions by which a workbench under test reports to what drives it.
      void page.exposeFunction('codeAutomationExit', () => resolve());
      void page.exposeFunction('codeAutomationLog', (_type: string, args: unknown[]) =>
        log.write(`${args.join(' ')}\n`),
      );
      page.on('crash', () => reject(new Error('The page crashed.')));
      setTimeout(() => reject(new Error(`No end after ${LIMIT} ms.`)), LIMIT).unref();
    });
    const uri = (file: string) => `vscode-remote://${server.authority}${file}`;
    const payload = [
      ['extensionDevelopmentPath', uri(ROOT)],
      ['extensionTestsPath', uri(tests)],
    ];
    const query = `folder=${encodeURI(sample.folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
    await page.goto(`${server.url}/?${query}`, { timeout: PATIENCE });
    await ended;
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** No file means that the tests never ran, which is one failure. */
function readResults(): HostResults {
  try {
    const parsed: HostResults = JSON.parse(readFileSync(results, 'utf8'));
    return parsed;
  } catch {
    return {
      passed: 0,
      failed: ['The tests did not run to their end; see test-results/host.log.'],
    };
  }
}
