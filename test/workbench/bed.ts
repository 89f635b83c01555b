import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { type Server, type ServerOptions, startServer } from './server.ts';
import { Workbench, type WorkbenchOptions } from './workbench.ts';

export interface BedOptions extends ServerOptions, WorkbenchOptions {}

/** A server, a browser and one window on it. */
export interface Bed {
  readonly server: Server;
  readonly browser: Browser;
  readonly workbench: Workbench;
  stop(): Promise<void>;
}

/** Starts a real VS Code with one window. Whoever wants more windows opens them on its server. */
export async function startWorkbench(options: BedOptions): Promise<Bed> {
  const server = await startServer(options);
  const browser = await launchChromium();
  const workbench = await Workbench.open(browser, server, options);
  const stop = async () => {
    await browser.close();
    await server.stop();
  };
  return { server, browser, workbench, stop };
}
