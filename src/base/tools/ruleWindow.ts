import { asString, isRecord } from '../json.ts';

/** What the editor knows about rules beyond the text of a settings file. The language server completes by it. */
export interface RuleWindow {
  /** The rules that requests of the window's sessions offered to store, most useful first. */
  readonly asked: readonly AskedRule[];
  /** The ids of the window's tools: locked, declared and MCP tools. */
  readonly tools: readonly string[];
  /** How often rules of open settings files decided. */
  readonly uses: readonly OpenUsedRule[];
  /** The rules in force of the user's and the workspace's settings files, at most `MOST_OTHERS`. */
  readonly others: readonly OtherRule[];
}

/** The most rules that the editor sends. Of longer lists the rest is not compared with an open file. */
export const MOST_OTHERS = 2000;

/** A rule of a settings file. An allow of the workspace is left out: it may wait for the user. */
export interface OtherRule extends AskedRule {
  readonly action: string;
  /** Milliseconds since the epoch. */
  readonly added_at?: number;
  readonly layer: 'user' | 'workspace';
  readonly file?: string;
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

export const NO_WINDOW: RuleWindow = { asked: [], tools: [], uses: [], others: [] };

/** The notification by which the editor sends it. */
export const RULE_WINDOW_METHOD = 'gatehouse/ruleWindow';

/** Drops what can't be read. */
export function parseRuleWindow(value: unknown): RuleWindow {
  const { asked, tools, uses, others } = isRecord(value) ? value : {};
  return {
    others: toList(others).slice(0, MOST_OTHERS).flatMap(parseOther),
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

function parseOther(value: unknown): readonly OtherRule[] {
  const { action, added_at: addedAt, layer, file } = isRecord(value) ? value : {};
  if (typeof action !== 'string' || (layer !== 'user' && layer !== 'workspace')) return [];
  return parseAsked(value).map((rule) => ({
    ...{ ...rule, action, layer },
    ...(typeof addedAt === 'number' && { added_at: addedAt }),
    ...(typeof file === 'string' && { file }),
  }));
}

function parseUse(value: unknown): readonly OpenUsedRule[] {
  const { action, text, uri } = isRecord(value) ? value : {};
  if (typeof action !== 'string' || typeof text !== 'string' || typeof uri !== 'string') return [];
  return parseAsked(value).map((rule) => ({ ...rule, action, text, uri }));
}
