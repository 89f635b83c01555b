import { parsePathPattern } from '../../../permissions/patterns/pathPattern.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';
import { getKind } from './kinds.ts';
import { findNear } from './names.ts';

/** Why a pattern can't match as it is meant, and what to write instead. */
export interface PatternProblem {
  readonly message: string;
  /** Patterns to write instead; several need a rule each. */
  readonly instead?: readonly string[];
}

/** A pattern that the gate reads but that can't match a call. The rule must not be broken. */
export function findPatternProblem(rule: Rule): PatternProblem | undefined {
  switch (getKind(rule.permission)) {
    case 'command':
      return findCommandProblem(rule.pattern);
    case 'path':
      return findPathProblem(rule);
    case 'host':
      return findHostProblem(rule.pattern);
    default:
      return undefined;
  }
}

/** Quoted and escaped characters, which have no special meaning. */
const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"|\\./gs;
const OPERATOR = /(?<=\s)(?:&&|\|\|?|;|&)(?=\s|$)|(?<=\S);+(?=\s|$)/g;
const REDIRECTION = /(?<=\s)(?:\d*(?:>>?|<)&?|&>>?)\s*[\w./~$*-]*/g;
const ASSIGNMENTS = /^\s*(?:[A-Za-z_]\w*=\S*\s+)+(?=\S)/;

function findCommandProblem(pattern: string): PatternProblem | undefined {
  // The same length, so that positions stay.
  const plain = pattern.replace(QUOTED, (quoted) => '_'.repeat(quoted.length));
  const assigned = ASSIGNMENTS.exec(plain)?.[0];
  if (assigned !== undefined) {
    const message =
      'This rule never matches: variables that a command line sets are not part of the command.';
    return { message, instead: [pattern.slice(assigned.length).trim()] };
  }
  const operators = [...plain.matchAll(OPERATOR)];
  const [operator] = operators;
  if (operator !== undefined) {
    const message = `This rule never matches: each command of a line is evaluated by itself, and "${operator[0]}" separates commands.`;
    return { message, ...toInstead(splitAt(pattern, operators)) };
  }
  const redirections = [...plain.matchAll(REDIRECTION)];
  const [redirection] = redirections;
  if (redirection === undefined) return undefined;
  const message = `This rule never matches: "${redirection[0].trim()}" is a redirection, which is evaluated as a file that the command reads or writes.`;
  return { message, ...toInstead([splitAt(pattern, redirections).join(' ')]) };
}

function toInstead(patterns: readonly string[]): Pick<PatternProblem, 'instead'> {
  return patterns.length > 0 && patterns.every((each) => each !== '') ? { instead: patterns } : {};
}

function splitAt(text: string, matches: readonly RegExpExecArray[]): readonly string[] {
  const ends = matches.map(({ index, 0: match }) => index + match.length);
  const parts = [...matches.map(({ index }, at) => text.slice(ends[at - 1] ?? 0, index))];
  return [...parts, text.slice(ends.at(-1) ?? 0)].map((part) => part.trim()).filter(Boolean);
}

const NONE = { state: undefined, sidecars: undefined };
const ROOTS = { ...NONE, workspace: ['/w'], adHoc: ['/a'], userData: ['/u'], home: ['/h'] };

function findPathProblem({ pattern, action }: Rule): PatternProblem | undefined {
  const quoted = /^(['"])(.+)\1$/.exec(pattern.trim())?.[2];
  if (quoted !== undefined) {
    const message = 'This rule never matches: quotes in a path pattern are part of the name.';
    return { message, instead: [quoted] };
  }
  const home = /^(?:\$HOME|\$\{HOME\}|%USERPROFILE%)(?=[\\/]|$)/.exec(pattern)?.[0];
  if (home !== undefined) {
    const message = `This rule never matches: "${home}" is not replaced. Use ~ for your home folder.`;
    return { message, instead: [`~${pattern.slice(home.length)}`] };
  }
  if (/^file:\/\//.test(pattern)) {
    const message = 'This rule never matches: a pattern is a path, not a URL.';
    return { message, instead: [pattern.replace(/^file:\/\/(?:localhost)?/, '')] };
  }
  if (/^!/.test(pattern)) {
    return {
      message:
        'This pattern matches names that begin with "!". Use a rule with another action for exceptions.',
    };
  }
  if (pattern !== pattern.trim()) {
    const message = 'Spaces at the start or end of a path pattern are part of the name.';
    return { message, instead: [pattern.trim()] };
  }
  return action === 'allow' ? findOutside(pattern) : undefined;
}

/** An allow with a relative pattern stays inside the roots. */
function findOutside(pattern: string): PatternProblem | undefined {
  const context = { platform: 'linux', reachesEverywhere: false, prefixes: true } as const;
  const parsed = parsePathPattern(pattern, { ...context, roots: ROOTS, bases: ['/w'] });
  if (parsed === undefined || parsed.everything || parsed.alternatives.length > 0) return undefined;
  return {
    message:
      'This rule never matches: a relative pattern of an allow rule stays inside the workspace. Use an absolute path or ~.',
  };
}

function findHostProblem(pattern: string): PatternProblem | undefined {
  const port = /:(\d+)$/.exec(pattern)?.[1];
  if (port === undefined || Number(port) <= 65_535) return undefined;
  return { message: `This rule never matches: ${port} is not a port.` };
}

const VARIABLES = ['workspace', 'ad-hoc', 'user-data'];

/** What an author of this invalid pattern probably meant; undefined if it can't be told. */
export function repairPattern(permission: string, pattern: string): string | undefined {
  const kind = getKind(permission);
  if (kind === 'host') {
    const host = URL.parse(/^[a-z]+:\/\//i.test(pattern) ? pattern : `http://${pattern}`)?.host;
    return host === undefined || host === '' || host === pattern ? undefined : host;
  }
  if (kind !== 'path') return undefined;
  const fixed = pattern
    .replace(/\$\{(?:workspaceFolder|workspaceRoot)\}/g, '{workspace}')
    .replace(/\$\{userHome\}/g, '~')
    .replace(/\{([A-Za-z][A-Za-z-]*)\}/g, (written, name: string) => {
      const near = VARIABLES.includes(name) ? name : findNear(name, VARIABLES);
      return near === undefined ? written : `{${near}}`;
    });
  return fixed === pattern ? undefined : fixed;
}
