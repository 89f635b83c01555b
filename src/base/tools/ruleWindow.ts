import { asString, isRecord } from '../json.ts';

/** What the editor knows about rules beyond the text of a settings file. The language server completes by it. */
export interface RuleWindow {
  /** The rules that requests of the window's sessions offered to store, most useful first. */
  readonly asked: readonly AskedRule[];
  /** The ids of the window's tools: locked, declared and MCP tools. */
  readonly tools: readonly string[];
  /** How often rules of open settings files decided. */
  readonly uses: readonly OpenUsedRule[];
}

export interface AskedRule {
  readonly permission: string;
  readonly pattern: string;
}

/** How often a rule decided, in words for the user. */
export interface UsedRule extends AskedRule {
  readonly action: string;
  readonly text: string;
}

/** A rule of an open document. */
export interface OpenUsedRule extends UsedRule {
  readonly uri: string;
}

export const NO_WINDOW: RuleWindow = { asked: [], tools: [], uses: [] };

/** The notification by which the editor sends it. */
export const RULE_WINDOW_METHOD = 'gatehouse/ruleWindow';

/** Drops what can't be read. */
export function parseRuleWindow(value: unknown): RuleWindow {
  const { asked, tools, uses } = isRecord(value) ? value : {};
  return {
    asked: toList(asked).flatMap(parseAsked),
    tools: toList(tools).filter((each) => typeof each === 'string'),
    uses: toList(uses).flatMap(parseUse),
  };
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parseAsked(value: unknown): readonly AskedRule[] {
  const { permission, pattern } = isRecord(value) ? value : {};
  const [name, text] = [asString(permission), asString(pattern)];
  return name === undefined || text === undefined ? [] : [{ permission: name, pattern: text }];
}

function parseUse(value: unknown): readonly OpenUsedRule[] {
  const { action, text, uri } = isRecord(value) ? value : {};
  if (typeof action !== 'string' || typeof text !== 'string' || typeof uri !== 'string') return [];
  return parseAsked(value).map((rule) => ({ ...rule, action, text, uri }));
}
