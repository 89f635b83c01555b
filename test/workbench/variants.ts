import type { Theme } from './workbench.ts';

/**
 * Tests that are repeated for each theme or speed of hands run for two of them in `npm test`, and for
 * all of them in `npm run test:looks` (`TEST_VARIANTS=all`): a window of the real editor is slow to draw.
 */
const all = process.env['TEST_VARIANTS'] === 'all';

/** The themes in which what a user sees is drawn and checked. */
export const LOOKS: readonly Theme[] = all
  ? ['light', 'dark', 'highContrast', 'highContrastLight']
  : ['dark', 'highContrastLight'];

/** Milliseconds between the two clicks of a double click, of quick hands and slow ones. */
export const GAPS: readonly number[] = all ? [50, 180, 400] : [50, 400];
