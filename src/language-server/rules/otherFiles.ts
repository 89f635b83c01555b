import { fileURLToPath } from 'node:url';
import type { OtherRule, RuleWindow } from '../../base/tools/ruleWindow.ts';
import type { CompiledRule } from '../../permissions/rules/compiledRule.ts';
import { parseRules } from '../../permissions/rules/parseRules.ts';
import { compile } from './checks/relations.ts';

/** A rule of another settings file that counts where those of the open file do. */
export interface OtherFileRule {
  readonly compiled: CompiledRule;
  /** Its file, in a sentence. */
  readonly where: string;
  /** It counts in the open workspace only, unlike the rules of the open file. */
  readonly hereOnly: boolean;
}

/**
 * The rules of the window's other settings files, for a document. The user's rules count everywhere, those of
 * the workspace only for the user's settings: whose rules another file has isn't known.
 */
export function findOtherRules(uri: string, { others }: RuleWindow): readonly OtherFileRule[] {
  if (others.length === 0) return [];
  const isUsers = isUserSettings(uri);
  const path = toPath(uri);
  return compileAll(others).filter(({ other }) => {
    if (other.file !== undefined && other.file === path) return false;
    return isUsers === (other.layer === 'workspace');
  });
}

function isUserSettings(uri: string): boolean {
  return (
    uri.startsWith('vscode-userdata:') || /\/User\/(?:profiles\/[^/]+\/)?settings\.json$/.test(uri)
  );
}

function toPath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // Documents of other schemes have no path that the host knows.
    return undefined;
  }
}

type Compiled = OtherFileRule & { readonly other: OtherRule };

const known = new WeakMap<readonly OtherRule[], readonly Compiled[]>();

function compileAll(others: readonly OtherRule[]): readonly Compiled[] {
  const before = known.get(others);
  if (before !== undefined) return before;
  const all = others.flatMap((other): Compiled[] => {
    const { layer, file, ...entry } = other;
    const [rule] = parseRules([entry], 'project').rules;
    if (rule === undefined || rule.broken === true) return [];
    const hereOnly = layer === 'workspace';
    return [{ other, compiled: compile(rule), where: toWhere(other), hereOnly }];
  });
  known.set(others, all);
  return all;
}

function toWhere({ layer, file }: OtherRule): string {
  if (layer === 'user') return 'the user settings';
  return file?.endsWith('.code-workspace') === true
    ? 'the workspace file'
    : '.vscode/settings.json';
}
