import { asString, isRecord } from '../../base/json.ts';

/** What the editor knows beyond the text of a settings file. */
export interface WindowFacts {
  /** The rules that requests of the window's sessions offered to store, newest first. */
  readonly asked: readonly AskedRule[];
  /** The ids of the window's declared and MCP tools. */
  readonly tools: readonly string[];
}

export interface AskedRule {
  readonly permission: string;
  readonly pattern: string;
}

export const NO_WINDOW: WindowFacts = { asked: [], tools: [] };

/** The notification by which the editor sends them. */
export const WINDOW_METHOD = 'gatehouse/window';

/** Drops what can't be read. */
export function parseWindowFacts(value: unknown): WindowFacts {
  const { asked, tools } = isRecord(value) ? value : {};
  return {
    asked: Array.isArray(asked) ? asked.flatMap(parseAsked) : [],
    tools: Array.isArray(tools) ? tools.filter((each) => typeof each === 'string') : [],
  };
}

function parseAsked(value: unknown): readonly AskedRule[] {
  const { permission, pattern } = isRecord(value) ? value : {};
  const [name, text] = [asString(permission), asString(pattern)];
  return name === undefined || text === undefined ? [] : [{ permission: name, pattern: text }];
}
