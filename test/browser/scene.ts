import { rmSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach } from 'node:test';
import type { Browser } from 'playwright-core';
import { Chat } from '../workbench/chat.ts';
import { launchChromium } from '../workbench/chromium.ts';
import { RESULTS } from '../workbench/paths.ts';
import type { RunningProcess } from '../workbench/processes.ts';
import { copySample, type Sample } from '../workbench/sample.ts';
import { type Server, startServer } from '../workbench/server.ts';
import { Workbench, type WorkbenchOptions } from '../workbench/workbench.ts';
import { type ScriptedModel, startScriptedModel } from './model.ts';

/** One window on a fresh copy of the sample, with Gatehouse open and a model that plays a script. */
export interface Scene {
  readonly workbench: Workbench;
  readonly chat: Chat;
  readonly model: ScriptedModel;
  readonly sample: Sample;
  readonly server: Server;
  close(): Promise<void>;
}

export interface Stage {
  readonly server: Server;
  readonly browser: Browser;
  readonly model: ScriptedModel;
}

/** Every raw protocol line of every window on the shared server. */
export const TRACES = path.join(RESULTS, 'traces');

let stage: Promise<Stage> | undefined;
const open = new Set<Scene>();

/** The server, browser and model that all files share; the first to ask starts them. */
export function sharedStage(): Promise<Stage> {
  stage ??= startStage();
  return stage;
}

export interface SceneOptions extends WorkbenchOptions {
  /** The tests of a file share it; it stays open until the end of the run. */
  readonly keep?: true;
}

/** Opens a window of its own. It is closed after the test; what failed leaves a screenshot. */
export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const { server, browser, model } = await sharedStage();
  const sample = copySample();
  model.script();
  const workbench = await Workbench.open(browser, server, { folder: sample.folder, ...options });
  const chat = await Chat.open(workbench);
  const scene: Scene = {
    ...{ workbench, chat, model, sample, server },
    close: async () => {
      open.delete(scene);
      await workbench.close();
      sample.dispose();
    },
  };
  if (!options.keep) open.add(scene);
  return scene;
}

/** The host processes that run under a server, one a window at most. */
export function hosts(server: Server): readonly RunningProcess[] {
  return server.processes().filter(({ command }) => /host[/\\]main\.mjs acp/.test(command));
}

export function packagePath(): string {
  const vsix = process.env['TEST_VSIX'];
  if (!vsix) throw new Error('TEST_VSIX names no package: run "npm run test:browser".');
  return vsix;
}

async function startStage(): Promise<Stage> {
  const model = await startScriptedModel();
  const settings = {
    'gatehouse.model.baseUrl': model.url,
    'gatehouse.model.id': 'scripted',
    // A model that is silent is given up soon; nobody wants to wait for minutes in a test.
    'gatehouse.limits.modelFirstChunkMs': 3000,
    'gatehouse.limits.modelChunkMs': 2000,
    'gatehouse.limits.modelRetries': 0,
  };
  rmSync(TRACES, { recursive: true, force: true });
  const env = { GATEHOUSE_TRACE: TRACES };
  const server = await startServer({ vsix: packagePath(), settings, env });
  return { model, server, browser: await launchChromium() };
}

afterEach(async (context) => {
  for (const scene of open) {
    if ('passed' in context && context.passed === false) {
      await scene.workbench.screenshot(`failed-${context.name.replace(/\W+/g, '-')}`);
    }
    await scene.close();
  }
});

after(async () => {
  if (stage === undefined) return;
  const { server, browser, model } = await stage;
  await browser.close();
  await server.stop();
  await model.stop();
});
