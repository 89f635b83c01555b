import { readdirSync, readFileSync } from 'node:fs';

/** A running process of this test run. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its argument vector, joined by spaces. */
  readonly command: string;
}

/**
 * Every process started under a server whose environment holds `marker`, however it was re-parented.
 * Linux only, which is where these tests run; zombies are left out, they hold nothing.
 */
export function processesWith(marker: string): readonly RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const found = describe(Number(name), marker);
      return found === undefined ? [] : [found];
    });
}

/** Ends processes at once and waits until they are gone; `ms` is the longest wait. */
export async function endProcesses(found: readonly RunningProcess[], ms = 2000): Promise<void> {
  for (const { pid } of found) kill(pid, 'SIGKILL');
  const end = Date.now() + ms;
  while (found.some(({ pid }) => isAlive(pid)) && Date.now() < end) await pause(20);
}

/** True while the process exists and is no zombie. */
export function isAlive(pid: number): boolean {
  const state = readStat(pid)?.state;
  return state !== undefined && state !== 'Z';
}

/** Sends a signal; a process that is gone already is no error. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone between the look and the kill, which is what was wanted.
  }
}

/**
 * Milliseconds after which what is awaited is taken for what never comes. A busy machine may take a
 * hundred times as long as an idle one, and a test that fails may take its time.
 */
export const PATIENCE = 120_000;

/** Milliseconds between two looks: they grow with the wait, for a look costs the machine time as well. */
const FIRST_LOOK = 50;
const LAST_LOOK = 400;

/** Waits until `check` gives a value, looking again and again; after `ms` it throws what was awaited. */
export async function until<Value>(
  what: string,
  check: () => Value | undefined | Promise<Value | undefined>,
  ms = PATIENCE,
): Promise<Value> {
  const start = Date.now();
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    const waited = Date.now() - start;
    if (waited > ms) throw new Error(`Waited ${ms} ms for ${what}.`);
    await pause(Math.min(FIRST_LOOK + waited / 10, LAST_LOOK));
  }
}

/** So long after a click or a key that did nothing it is taken for one that was lost. Milliseconds. */
export const LOST = 10_000;

/**
 * Does something until it has the effect that `check` sees, as a user does whose click or key was lost:
 * what moves swallows clicks, and a key does nothing before the editor knows what has the focus. It is
 * done again only if nothing came of it for a long time, for doing it twice may be wrong.
 */
export async function again<Value>(
  what: string,
  act: () => Promise<unknown>,
  check: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  return until(what, async () => {
    await act().catch(() => undefined);
    return until(what, check, LOST).catch(() => undefined);
  });
}

/** Clicks `target` until the click has the effect that `check` sees. */
export function clickUntil<Value>(
  what: string,
  target: { click(options: { readonly timeout: number }): Promise<void> },
  check: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  return again(what, () => target.click({ timeout: LOST }), check);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function describe(pid: number, marker: string): RunningProcess | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    if (!environment.includes(marker)) return undefined;
    const stat = readStat(pid);
    if (stat === undefined || stat.state === 'Z') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').join(' ').trim();
    return { pid, parent: stat.parent, command };
  } catch {
    // It ended while it was being looked at, or belongs to another user.
    return undefined;
  }
}

function readStat(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const [, state = '', parent = ''] =
      /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
