import assert from 'node:assert/strict';
import { test } from 'node:test';
import { success } from '../../../src/base/outcome.ts';
import type { McpServer } from '../../../src/base/tools/mcpServer.ts';
import { createSignInProvider } from '../../../src/mcp/oauth/providers.ts';
import { createMcpTool, findToolFault } from '../../../src/mcp/tools/mcpTool.ts';
import { toReviewed } from '../../../src/mcp/tools/reviewedTools.ts';

const connection = {
  server: { name: 'srv' },
  call: async () => success({ content: [] }),
};

/** The letters of "evil" that no font draws. */
const EVIL = '\u{E0065}\u{E0076}\u{E0069}\u{E006C}';

const LOCAL = {
  how: {
    ...{ type: 'stdio' as const, argv: ['node'] as const, env: {}, cwd: '/' },
    ...{ hosts: ['api.example.com'], sandbox: true },
  },
};

test('issue 18: the review of a server and of its tools names the hosts that its entry names', () => {
  const tool = { name: 'act', inputSchema: { type: 'object' as const } };
  const hosts = (how: McpServer['how']) => {
    const [reviewed] = toReviewed('srv', { how }, [{ id: 'srv_act', tool }]);
    return [reviewed?.reachesAnyHost, reviewed?.hosts];
  };
  assert.deepEqual(hosts(LOCAL.how), [true, ['api.example.com']]);
  assert.deepEqual(hosts({ ...LOCAL.how, sandbox: false }), [true, undefined]);
  const remote = { type: 'http', url: 'https://mcp.example:8443/a', headers: {} } as const;
  assert.deepEqual(hosts(remote), [false, ['mcp.example:8443']]);
});

test('what a description hides from its reader does not reach the model', () => {
  const tool = {
    ...{ name: 'act', description: `Acts.\n${EVIL}\u202e Well 👩\u200d💻.` },
    inputSchema: { type: 'object' as const },
  };
  const made = createMcpTool(tool, { id: 'srv_act', server: 'srv', connection, schemaMs: 1000 });
  assert.equal(made.description, 'Acts.\n Well 👩\u200d💻.');
});

test('issue 18: the user reviews the whole text and schema that the model gets', () => {
  const inputSchema = { type: 'object' as const, properties: { a: { type: 'string' } } };
  const description = `${EVIL.repeat(9000)}${'long '.repeat(1600)}end`;
  const tool = { name: 'act', description, inputSchema };
  const made = createMcpTool(tool, { id: 'srv_act', server: 'srv', connection, schemaMs: 1000 });
  const [reviewed] = toReviewed('srv', LOCAL, [{ id: 'srv_act', tool }]);
  assert.equal(reviewed?.description, made.description);
  assert.match(made.description, /^long .* end$/);
  assert.deepEqual(reviewed?.parameters, inputSchema);
});

test('schemas that are too large together are left out of the review', () => {
  const inputSchema = { type: 'object' as const, description: 'x'.repeat(1_500_000) };
  const waiting = ['a', 'b', 'c'].map((id) => ({ id, tool: { name: id, inputSchema } }));
  const has = toReviewed('srv', LOCAL, waiting).map(({ parameters }) => parameters !== undefined);
  assert.deepEqual(has, [true, true, false]);
});

test('a tool whose schema has hidden characters is not offered', () => {
  const properties = { file: { type: 'string', description: `The file.${EVIL}` } };
  const inputSchema = { type: 'object' as const, properties };
  assert.match(findToolFault({ name: 'act', inputSchema }) ?? '', /hidden characters/);
  assert.equal(findToolFault({ name: 'act', inputSchema: { type: 'object' } }), undefined);
});

test('a sign-in with a client id of its entry does not register', async () => {
  const written: unknown[] = [];
  const credentials = {
    read: async () => ({}),
    write: async (each: unknown) => void written.push(each),
  };
  const open = async () => undefined;
  const provider = createSignInProvider(credentials, 'http://127.0.0.1/cb', open, 'known');
  assert.deepEqual(await provider.clientInformation({} as never), { client_id: 'known' });
  const tokens = { access_token: 'a', token_type: 'Bearer' };
  await provider.saveTokens(tokens, {} as never);
  assert.deepEqual(written, [{ client: { client_id: 'known' }, tokens }]);
});
