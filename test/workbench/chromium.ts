import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const PACKAGES = ['chromium', 'fonts-liberation'];

/** Starts the machine's Chromium, headless. Throws one clear line when there is none. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: ensureChromium() });
}

/** The program's path: `CHROMIUM`, else PATH, else installed by apt when this is root on Debian. */
export function ensureChromium(): string {
  const found = findChromium();
  if (found !== undefined) return found;
  installByApt();
  const installed = findChromium();
  if (installed !== undefined) return installed;
  throw new Error(
    `Chromium is missing. Install it (Debian: sudo apt-get install -y --no-install-recommends ${PACKAGES.join(' ')}) or set CHROMIUM to its path.`,
  );
}

function findChromium(): string | undefined {
  const own = process.env['CHROMIUM'];
  if (own) return own;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) =>
    existsSync(file),
  );
}

function installByApt(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log('Installing Chromium by apt-get (once) …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...PACKAGES]]) {
    const { status, stdout, stderr } = spawnSync('apt-get', ['-q', ...args], {
      env,
      encoding: 'utf8',
    });
    if (status !== 0) console.error(`apt-get ${args[0]} failed:\n${stdout}\n${stderr}`);
  }
}
