import fc from 'fast-check';
import { isLong } from './sizes.ts';

/**
 * Loaded before the unit tests. A property that gives no seed of its own tries the same values in every
 * default run, so that a red one is red again; `TEST_SIZE=long`, or a file that is run alone, tries others.
 */
const SEED = 20_261_127;

if (!isLong()) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
