import { fill } from '../../../src/base/fill.ts';
import type { Translate } from '../../../src/extension/text/translate.ts';

/** Returns the English source strings. */
export const english: Translate = fill;
