import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCoverage } from '../../../../src/host/asks/coverage.ts';

interface Part {
  readonly rule: string;
  readonly target?: string;
  readonly alsoMatches?: readonly string[];
}

/** What the label says of these rules, each as `permission pattern`. */
function check(tool: string, parts: readonly Part[], expected: object, input: object = {}) {
  test(`an answer of ${tool} that stores ${parts.map(({ rule }) => rule).join(', ')}`, () => {
    const chosen = parts.map(({ rule, alsoMatches = [] }) => {
      const [permission = '', ...pattern] = rule.split(' ');
      const stored = { permission, pattern: pattern.join(' '), action: 'allow' as const };
      return { rule: stored, alsoMatches };
    });
    const offers = parts.map(({ target = '' }) => ({ permission: '', target, patterns: [] }));
    assert.deepEqual(toCoverage({ tool, input }, offers, chosen), expected);
  });
}

check('edit', [{ rule: 'fs.write {workspace}/src/**' }], { kind: 'edits', name: 'src' });
check('edit', [{ rule: 'fs.write {workspace}/**' }], { kind: 'edits' });
check('edit', [{ rule: 'fs.write /home/me/web/src/**' }], {
  ...{ kind: 'edits', name: '/home/me/web/src' },
});
check('edit', [{ rule: 'fs.write c:/web/**' }], { kind: 'edits', name: 'c:/web' });
check('edit', [{ rule: 'fs.write /home/me/web/src/a.ts' }], { kind: 'file' });
check('write', [{ rule: 'fs.write {workspace}/.env' }], { kind: 'file' });
check('edit', [{ rule: 'fs.write {workspace}/a' }, { rule: 'edit {workspace}/a' }], {
  kind: 'file',
});
check('read', [{ rule: 'read /a/b' }], { kind: 'file' });
check('grep', [{ rule: 'grep /home/me/notes', alsoMatches: ['/home/me/notes/any/file'] }], {
  ...{ kind: 'folder', name: '/home/me/notes' },
});
check('web_fetch', [{ rule: 'web_fetch a.example' }], { kind: 'host', name: 'a.example' });
check('db_query', [{ rule: 'mcp:db:query {"a":1}', target: '{"a":1}' }], { kind: 'call' });
// Such arguments can't be stored exactly: a `*` in a rule stands for anything.
check('db_query', [{ rule: 'mcp:db:query *', target: '{"sql":"SELECT * FROM a"}' }], {
  ...{ kind: 'tool', name: 'mcp:db:query' },
});
const CLONE = [{ rule: 'repo_clone a.example' }, { rule: 'fs.write {workspace}/b' }];
check('repo_clone', CLONE, {
  ...{ kind: 'rules', name: 'repo_clone a.example, fs.write {workspace}/b' },
});
for (const query of ['/etc', 'a.example', '{workspace}/a', 'how to'])
  check('web_search', [{ rule: `web_search ${query}`, target: query }], {
    ...{ kind: 'rules', name: `web_search ${query}` },
  });
check('sampling', [{ rule: 'mcp:db:sampling /etc', target: '/etc' }], { kind: 'call' });
check('sampling', [{ rule: 'mcp:db:sampling *', target: 'a.example' }], {
  ...{ kind: 'tool', name: 'mcp:db:sampling' },
});
check('bash', [{ rule: 'bash npm test' }], { kind: 'command' }, { command: 'npm test' });
check('bash', [{ rule: 'bash a' }, { rule: 'bash b' }], { kind: 'commands' }, { command: 'a; b' });
check(
  'bash',
  [{ rule: 'fs.write {workspace}/**' }],
  { kind: 'rules', name: 'fs.write {workspace}/**' },
  { command: 'echo a > b' },
);
