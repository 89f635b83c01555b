import { test } from 'node:test';
import type { Theme } from './workbench.ts';

/**
 * What the browser tests cover. `usual`, in `npm test`: each surface once. `whole`, in `npm run
 * test:browser`: all tests, and what is repeated for each theme for two of them. `all`, in `npm run
 * test:looks`: also every theme and every speed of hands. A window of the real editor is slow to draw.
 */
const scope = process.env['TEST_SCOPE'] ?? 'whole';

/** The themes in which what a user sees is drawn and checked. */
export const LOOKS: readonly Theme[] = themes();

function themes(): readonly Theme[] {
  if (scope === 'all') return ['light', 'dark', 'highContrast', 'highContrastLight'];
  return scope === 'usual' ? ['dark'] : ['dark', 'highContrastLight'];
}

/** Milliseconds between the two clicks of a double click, of quick hands and slow ones. */
export const GAPS: readonly number[] = gaps();

function gaps(): readonly number[] {
  if (scope === 'all') return [50, 180, 400];
  return scope === 'usual' ? [400] : [50, 400];
}

/** A test that `npm test` leaves to `npm run test:browser`: unit and in-host tests cover most of it. */
export const wholeTest: typeof test =
  scope === 'usual' ? (Object.assign(() => Promise.resolve(), test) as typeof test) : test;
