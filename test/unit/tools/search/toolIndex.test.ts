import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createToolIndex } from '../../../../src/tools/search/toolIndex.ts';

const TOOLS = [
  tool('github_create_issue', 'Opens a new issue in a repository.'),
  tool('github_list_issues', 'Lists the issues of a repository.'),
  tool('jira_createTicket', 'Creates a ticket, which others call an issue.'),
  tool('db_query', 'Runs SQL.', { statement: {}, database: {} }),
  tool('fs_read', 'Reads a file.'),
];

function tool(id: string, description: string, properties: object = {}) {
  return { id, description, parameters: { type: 'object', properties } };
}

function search(query: string, most = 10): readonly string[] {
  return createToolIndex(TOOLS).search(query, most);
}

for (const [query, first] of [
  ['create issue', 'github_create_issue'],
  ['CREATE ISSUE', 'github_create_issue'],
  ['create ticket', 'jira_createTicket'],
  ['creat tickt', 'jira_createTicket'],
  ['issues list', 'github_list_issues'],
  ['database', 'db_query'],
  ['fs_read', 'fs_read'],
] as const) {
  test(`CS-54 "${query}" finds ${first} first`, () => {
    assert.equal(search(query)[0], first);
  });
}

test('CS-54 the better match comes first, and tools without any of the words not at all', () => {
  assert.deepEqual(search('create issue'), [
    'github_create_issue',
    'jira_createTicket',
    'github_list_issues',
  ]);
  assert.deepEqual(search('weather'), []);
  assert.deepEqual(search('  ,;  '), []);
});

test('VC-61 no more matches come than were asked for', () => {
  const many = Array.from({ length: 50 }, (_, at) => tool(`t_${at}`, 'Creates an issue.'));
  assert.equal(createToolIndex(many).search('create issue', 10).length, 10);
});

test('ids and words that objects have by nature are words like any other', () => {
  const index = createToolIndex([tool('constructor', '__proto__'), tool('b', 'toString')]);
  assert.deepEqual(index.search('__proto__', 5), ['constructor']);
  assert.deepEqual(index.search('toString', 5), ['b']);
});
