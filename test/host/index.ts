import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';

/** Called by VS Code inside its extension host. A rejection is exit code 1. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'tdd', timeout: 300_000, color: false, reporter: 'spec' });
  const grep = process.env['TEST_GREP'];
  if (grep) mocha.grep(grep);
  for (const name of readdirSync(__dirname)
    .filter((each) => each.endsWith('.test.cjs'))
    .sort()) {
    mocha.addFile(path.join(__dirname, name));
  }

  const failed: string[] = [];
  let passed = 0;
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve());
    runner.on('pass', () => {
      passed += 1;
    });
    runner.on('fail', (test, error) => failed.push(`${test.fullTitle()}: ${error.stack ?? error}`));
    runner.on('pending', (test) => failed.push(`${test.fullTitle()}: skipped`));
  });

  const file = process.env['TEST_RESULTS'];
  if (file) writeFileSync(file, JSON.stringify({ passed, failed }));
  if (failed.length > 0) throw new Error(`${failed.length} failing`);
}
