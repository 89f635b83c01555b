import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainLine } from '../../../src/host/cli/explainLine.ts';
import { plantWorkspace } from './ask.ts';

/** A rule as text, `permission pattern action[@source][#added_at]`, or as it may stand in a file. */
export type WrittenRule = string | { readonly [field: string]: unknown } | null | number;

/** One call, the rules in force, and what is decided; more fields of the line of `gatehouse explain`. */
export type Row = readonly [
  input: unknown,
  rules: readonly WrittenRule[],
  expected: string,
  more?: { readonly [field: string]: unknown },
];

export const NOWHERE = '/nonexistent/w';

/** A workspace in which sweeps find files: `src/k`, `.env`. */
export const PLANTED = plantWorkspace(['src/k', '.env']);

/** Looking takes as long as a machine needs that is busy with other tests. */
const DEFAULTS = { scratch: '/nonexistent/scratch', lookMs: 60_000 };

/** Tests that a tool's calls are decided as the rows say. */
export function checkCalls(
  tool: string,
  rows: readonly Row[],
  common: { readonly [field: string]: unknown } = {},
): void {
  for (const [input, rules, expected, more = {}] of rows) {
    const given = rules.map((rule) => (typeof rule === 'string' ? rule : JSON.stringify(rule)));
    const place = JSON.stringify({ ...common, ...more });
    test(`${tool} ${sayInput(input)} is ${expected} under ${given.join(', ') || 'no rule'} ${place}`, async () => {
      const line = {
        tool,
        input: toInput(tool, input),
        rules: rules.map((rule) => (typeof rule === 'string' ? parse(rule) : rule)),
        workspace: NOWHERE,
        ...common,
        ...more,
      };
      const answer = await explainLine(JSON.stringify(line), DEFAULTS);
      assert.equal(answer.decision, expected, answer.reason);
    });
  }
}

function parse(rule: string) {
  const match = /^(\S*) (.*) (\w+)(?:@(\w+))?(?:#(\d+))?$/.exec(rule);
  if (match === null) throw new Error(`not a rule: ${rule}`);
  const [, permission, pattern, action, source, added] = match;
  return {
    permission,
    pattern,
    action,
    ...(source !== undefined && { source }),
    ...(added !== undefined && { added_at: Number(added) }),
  };
}

function sayInput(input: unknown): string {
  return (typeof input === 'string' ? input : JSON.stringify(input)).slice(0, 60);
}

function toInput(tool: string, input: unknown): unknown {
  if (typeof input !== 'string') return input;
  if (tool === 'bash') return { command: input };
  if (tool === 'web_fetch') return { url: input };
  if (tool === 'write') return { path: input, content: 'x' };
  if (tool === 'edit') return { path: input, old_string: 'a', new_string: 'b' };
  if (tool === 'grep') return { pattern: 'x', path: input };
  return { path: input };
}
