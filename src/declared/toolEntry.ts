import type { AgentcliEntry } from './agentcli/entry.ts';
import type { CompozyEntry } from './compozy/entry.ts';
import type { RunloopEntry } from './runloop/entry.ts';

/** One declared tool, of any dialect. */
export type ToolEntry = AgentcliEntry | RunloopEntry | CompozyEntry;

/** The id of a dialect; `dialects.ts` says what it means. */
export type Dialect = ToolEntry['dialect'];
