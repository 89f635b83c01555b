import { highlight } from './markdown/highlight.ts';

/** A script of its own, which the page loads when it first shows finished code. */
Object.assign(globalThis, { gatehouseHighlight: highlight });
