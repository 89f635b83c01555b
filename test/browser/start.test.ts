import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Chat } from '../workbench/chat.ts';
import { ROOT } from '../workbench/paths.ts';
import { until } from '../workbench/processes.ts';
import { Workbench } from '../workbench/workbench.ts';
import { packagePath, sharedStage } from './scene.ts';
import { declineTour, walkTour } from './tourSteps.ts';
import { walkWalkthrough } from './walkthroughSteps.ts';

test('npm start serves the product with a tour, whose steps a user of the mouse follows to the end, and leaves nothing behind', async () => {
  const { browser } = await sharedStage();
  const env: NodeJS.ProcessEnv = { ...process.env, TEST_VSIX: packagePath() };
  delete env['GATEHOUSE_MODEL_BASE_URL'];
  const child = spawn(process.execPath, ['test/workbench/start.ts'], { cwd: ROOT, env });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  try {
    const address = await until('the URL', () => /http:\S+\?folder=\S+/.exec(output)?.[0]);
    const url = new URL(address);
    assert.equal(url.hostname, '127.0.0.1');
    const folder = url.searchParams.get('folder') ?? '';
    const changes = () =>
      spawnSync('git', ['status', '--short'], { cwd: folder, encoding: 'utf8' }).stdout.trim();
    assert.ok(existsSync(path.join(folder, '.git')));
    assert.equal(changes(), '');

    const workbench = await Workbench.open(browser, { url: url.origin }, { folder });
    const chat = await Chat.open(workbench);
    const walk = { workbench, chat, buggy: path.join(folder, 'src/sum.js') };
    const before = readFileSync(walk.buggy, 'utf8');
    await declineTour(walk);
    assert.equal(readFileSync(walk.buggy, 'utf8'), before, 'what was declined changed nothing');
    await chat.startSession();
    await walkTour(walk);
    assert.equal(changes(), 'M src/sum.js');
    await walkWalkthrough(walk);
    await workbench.close();

    child.kill('SIGINT');
    assert.equal(await exitCode(child), 0);
    await assert.rejects(fetch(url.origin));
    assert.equal(existsSync(folder), false);
  } finally {
    child.kill('SIGKILL');
  }
});

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode);
    else child.once('exit', resolve);
  });
}
