import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach } from 'node:test';
import type { Browser } from 'playwright-core';
import { traceFile } from '../../src/host/front/trace.ts';
import { Chat } from '../workbench/chat.ts';
import { launchChromium } from '../workbench/chromium.ts';
import { RESULTS, TRACES } from '../workbench/paths.ts';
import { type RunningProcess, until } from '../workbench/processes.ts';
import { copySample, type Sample } from '../workbench/sample.ts';
import { type Server, startServer } from '../workbench/server.ts';
import { Workbench, type WorkbenchOptions } from '../workbench/workbench.ts';
import { clearWindow, endTurn, hasOtherSettings } from './clear.ts';
import { tellFailure } from './failure.ts';
import { type ScriptedModel, startScriptedModel } from './model.ts';

/** A window on a copy of the sample, with Gatehouse open and a model that plays a script. */
export interface Scene {
  readonly workbench: Workbench;
  readonly chat: Chat;
  readonly model: ScriptedModel;
  readonly sample: Sample;
  readonly server: Server;
  /** The settings that the folder had when the window opened. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Stage {
  readonly server: Server;
  readonly browser: Browser;
  readonly model: ScriptedModel;
}

let stage: Promise<Stage> | undefined;
/** The open windows, the one used last at the end. */
const windows: Window[] = [];
/** Each costs memory and some time of the machine. */
const MOST_WINDOWS = 3;

interface Window {
  /** The options that it was opened with. */
  readonly key: string;
  readonly fresh: boolean;
  readonly scene: Scene;
  /** The tests that used it, in order. */
  readonly tests: string[];
}

/** The server, browser and model that all files share; the first to ask starts them. */
export function sharedStage(): Promise<Stage> {
  stage ??= startStage();
  return stage;
}

export interface SceneOptions extends WorkbenchOptions {
  /** A window nobody has used and nobody uses afterwards, for tests that leave one changed. */
  readonly fresh?: true;
  /** Of the folder, and there before the window opens: nothing has to wait until it sees them. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/**
 * A new session on a sample as it was. Tests that open the same window share it, as sessions of a user
 * do; one that failed takes all windows with it and leaves screenshots.
 */
export async function openScene(
  { name }: { readonly name: string },
  { fresh, ...options }: SceneOptions = {},
): Promise<Scene> {
  await useMode(options.settings?.[MODE]);
  const key = JSON.stringify(options);
  const known = fresh ? undefined : windows.find((each) => each.key === key && !each.fresh);
  const last = windows.at(-1);
  if (last !== undefined && last !== known) await leave(last);
  const used =
    known !== undefined && (await reuse(known)) ? known : await add(key, fresh === true, options);
  used.tests.push(name);
  used.scene.model.script();
  return used.scene;
}

const MODE = 'gatehouse.review.mode';
let usersMode: unknown;

/** A workspace can't set the mode *afterwards*. Windows read the user's settings when they open or reload. */
async function useMode(mode: unknown): Promise<void> {
  const { server } = await sharedStage();
  if (mode === usersMode) return;
  usersMode = mode;
  server.setUser(mode === undefined ? {} : { [MODE]: mode });
}

/** Closes the windows as a user does. */
export async function closeScene(): Promise<void> {
  for (const each of [...windows]) await close(each);
}

async function add(
  key: string,
  fresh: boolean,
  options: Omit<SceneOptions, 'fresh'>,
): Promise<Window> {
  while (windows[0] !== undefined && windows.length >= MOST_WINDOWS) await close(windows[0]);
  const opened = { key, fresh, scene: await openWindow(options), tests: [] };
  windows.push(opened);
  return opened;
}

async function close(each: Window): Promise<void> {
  windows.splice(windows.indexOf(each), 1);
  await each.scene.workbench.close();
  each.scene.sample.dispose();
}

/** What still runs in a window would be answered by the model of the next test. */
async function leave(each: Window): Promise<void> {
  const stopped = !each.fresh && (await succeeds(endTurn(each.scene)));
  if (!stopped) await close(each);
}

/** Makes the window as it was when it opened, or closes it if that is not possible. */
async function reuse(each: Window): Promise<boolean> {
  const { scene } = each;
  const same = !hasOtherSettings(scene) && (await succeeds(clearWindow(scene)));
  if (same) windows.push(...windows.splice(windows.indexOf(each), 1));
  else await close(each);
  return same;
}

function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

async function openWindow({
  settings = {},
  ...options
}: Omit<SceneOptions, 'fresh'>): Promise<Scene> {
  const { server, browser, model } = await sharedStage();
  const sample = copySample(settings);
  const workbench = await Workbench.open(browser, server, { folder: sample.folder, ...options });
  return { workbench, chat: await Chat.open(workbench), model, sample, server, settings };
}

/**
 * The host processes of this window. The server has those of other windows too; only this window's host was
 * told of its folder. Others name it when they list all sessions.
 */
export function hosts({ server, sample }: Scene): readonly RunningProcess[] {
  const wasTold = (line: string) => line.startsWith('<') && line.includes(sample.folder);
  return allHosts({ server }).filter(({ pid }) => traceOf(pid).split('\n').some(wasTold));
}

/** The host processes of every window of the server, of closed ones too until they have ended. */
export function allHosts({ server }: Pick<Stage, 'server'>): readonly RunningProcess[] {
  return server.processes().filter(({ command }) => /host[/\\]main\.mjs acp/.test(command));
}

/** The one host of a window that has one; after a reload the old one may need a moment to end. */
export function oneHost(scene: Scene): Promise<RunningProcess> {
  return until('one host of this window', () => {
    const [host, ...others] = hosts(scene);
    return others.length === 0 ? host : undefined;
  });
}

/** The raw protocol lines of a host so far, in order. */
export function traceOf(pid: number): string {
  const file = traceFile(TRACES, pid);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
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
    // A model that is silent is given up soon, for nobody wants to wait for minutes in a test; but not
    // one whose answer is late because the machine is busy.
    'gatehouse.limits.modelFirstChunkMs': 15_000,
    'gatehouse.limits.modelChunkMs': 15_000,
    'gatehouse.limits.modelRetries': 0,
    // Settings open as an editor among others, beside which the chat can be used.
    'workbench.editor.useModal': 'off',
  };
  const env = { GATEHOUSE_TRACE: TRACES };
  const server = await startServer({ vsix: packagePath(), settings, env });
  return { model, server, browser: await launchChromium() };
}

afterEach(async (context) => {
  if (stage === undefined || !('passed' in context) || context.passed) return;
  const { browser, server } = await stage;
  const name = context.name.replace(/\W+/g, '-');
  const pages = browser.contexts().flatMap((each) => each.pages());
  for (const [index, page] of pages.entries()) {
    const file = path.join(RESULTS, 'screenshots', `failed-${name}-${index}.png`);
    await page.screenshot({ path: file, timeout: 10_000 }).catch(() => undefined);
  }
  const { tests: before = [], scene } = windows.at(-1) ?? {};
  const folder = scene?.sample.folder;
  await tellFailure(context.name, { pages, home: server.home, before, folder });
  await closeScene();
  for (const each of browser.contexts()) await each.close();
});

after(async () => {
  await closeScene();
  if (stage === undefined) return;
  const { server, browser, model } = await stage;
  await browser.close();
  await server.stop();
  await model.stop();
});
