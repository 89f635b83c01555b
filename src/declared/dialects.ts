import type { DialectId } from '../base/tools/dialectFacts.ts';
import { agentcli } from './agentcli/dialect.ts';
import { compozy } from './compozy/dialect.ts';
import type { DialectRow } from './manifest/dialectRow.ts';
import { runloop } from './runloop/dialect.ts';

/** In the order in which dialects are detected. */
const ROWS = { runloop, compozy, agentcli } as const satisfies {
  readonly [Id in DialectId]: { readonly id: Id };
};

/** One declared tool, of any dialect. */
export type ToolEntry = ReturnType<(typeof ROWS)[DialectId]['parse']>['entries'][number];

/**
 * Every dialect, in the order in which they are detected. How their tools are made is in
 * `dialectTools.ts`, so that the language server does not bundle it.
 */
export const DIALECTS: readonly DialectRow<ToolEntry>[] = Object.values(ROWS);

export function getDialect(id: DialectId): DialectRow<ToolEntry> {
  return ROWS[id];
}

/** The dialect that takes every document no other matches. */
export const FALLBACK_DIALECT: DialectRow<ToolEntry> = agentcli;

/** The dialect of a document whose dialect is not given. */
export function detectDialect(source: Parameters<DialectRow['detect']>[0]): DialectRow<ToolEntry> {
  return DIALECTS.find((row) => row.detect(source)) ?? FALLBACK_DIALECT;
}
