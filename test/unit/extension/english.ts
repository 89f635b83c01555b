import { fill } from '../../../src/base/fill.ts';
import type { Translate } from '../../../src/extension/text/translate.ts';

/** English as it stands in the source. */
export const english: Translate = fill;
