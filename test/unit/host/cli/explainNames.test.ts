import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainLine } from '../../../../src/host/cli/explainLine.ts';

const allow = (permission: string, pattern: string) => ({ permission, pattern, action: 'allow' });

/** The decision on a call, with these rules besides the shipped ones. */
function check(tool: string, input: object, rules: readonly object[], expected: RegExp) {
  test(`explain ${tool} under ${JSON.stringify(rules)} is ${expected.source}`, async () => {
    const line = { tool, input, rules, workspace: '/nonexistent/w', defaults: true };
    const folders = { scratch: '/nonexistent/scratch' };
    const { decision, reason } = await explainLine(JSON.stringify(line), folders);
    assert.match(`${decision}: ${reason}`, expected);
  });
}

const GITHUB = [allow('mcp:github:*', '*')];
check('mcp:github:create_issue', { a: 1 }, GITHUB, /^allow: The rule `mcp:github:\* \*` allows/);
check('mcp:gitlab:create_issue', { a: 1 }, GITHUB, /^ask: No rule covers/);
check(
  'mcp:github:x',
  {},
  [{ ...allow('mcp.call', '*'), action: 'deny' }],
  /^deny: The rule `mcp\.call \*`/,
);
check('mcp:github:*', {}, GITHUB, /^error: `mcp:github:\*` names no single tool/);
check('mcp:github', {}, GITHUB, /^error: `mcp:github` names no tool of an MCP server/);
