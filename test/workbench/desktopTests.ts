import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { bundleHostTests } from './hostBundle.ts';
import { parseSuiteResult } from './nodeTest.ts';
import { cacheFolder, ROOT } from './paths.ts';
import { copySample } from './sample.ts';
import { UNOFFERED } from './server.ts';
import { reportSuite } from './suite.ts';

/**
 * `npm run test:desktop`: the in-host suite in the desktop's VS Code, for machines that may
 * download it. `npm test` does not need it: the same suite runs there in the VS Code server.
 */
const program = await download();
if (program === undefined) process.exitCode = 1;
else await runOn(program);

async function download(): Promise<string | undefined> {
  const cachePath = path.join(cacheFolder(), 'desktop');
  mkdirSync(cachePath, { recursive: true });
  try {
    return await downloadAndUnzipVSCode({ cachePath });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(
      `VS Code for the desktop could not be downloaded (${reason}). These tests need a machine that reaches VS Code's update server; "npm run test:host" runs the same suite without it.`,
    );
    return undefined;
  }
}

async function runOn(vscodeExecutablePath: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-desktop-'));
  const results = path.join(folder, 'results.json');
  const sample = copySample();
  const data = path.join(folder, 'user');
  mkdirSync(path.join(data, 'User'), { recursive: true });
  writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify(UNOFFERED));
  try {
    await runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: [ROOT, path.join(ROOT, 'test/fixtures/toolExtension')],
      extensionTestsPath: await bundleHostTests(folder),
      extensionTestsEnv: { TEST_RESULTS: results, TEST_SAMPLE: sample.folder },
      launchArgs: [
        sample.folder,
        '--disable-workspace-trust',
        '--disable-extensions',
        `--user-data-dir=${data}`,
      ],
    }).catch((error: unknown) => console.error(String(error)));
    reportSuite('desktop', parseSuiteResult(results));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    sample.dispose();
  }
}
