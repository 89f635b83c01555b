import { toStyledTexts } from './cards/output/ansi.ts';

/** A script of its own, which the page loads when it first shows an output with escapes. */
Object.assign(globalThis, { gatehouseStyleOutput: toStyledTexts });
