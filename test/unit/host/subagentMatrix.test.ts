import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { startSession, stdio, WAIT_FOR_SERVERS } from '../mcp/servers.ts';
import { HOSTILE } from '../mcp/source.ts';
import {
  type Connected,
  connect,
  newSession,
  prompt,
  requests,
  said,
  temporary,
  until,
} from './harness.ts';

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;

/** What the deepest subagent tries, and what the rules and definitions of its chain are. */
interface Row {
  readonly name: string;
  /** Front matter of the agent that the user's session runs as, and of the subagent. */
  readonly parent?: string;
  readonly child?: string;
  /** The user's own rules. */
  readonly rules?: readonly object[];
  readonly call: { readonly tool: string; readonly input: object };
  readonly expected: 'runs' | 'asks' | 'denied' | 'refused';
  /** Tried three levels deep, too. */
  readonly deep?: true;
}

const write = (file: string) => ({ tool: 'write', input: { path: file, content: 'x' } });
const bash = (command: string) => ({ tool: 'bash', input: { command } });
const rules = (...rows: readonly string[]) =>
  `permissions:\n${rows
    .map((row) => row.split(' | '))
    .map(([permission, pattern, action]) => {
      return `  - {permission: "${permission}", pattern: "${pattern}", action: ${action}}`;
    })
    .join('\n')}`;

const ROWS: readonly Row[] = [
  { name: 'nothing declared', call: write('a'), expected: 'asks' },
  {
    deep: true,
    name: 'VC-71: the parent may not write, the child wants to',
    parent: 'requires: {fs: {read: ["{workspace}/**"], write: []}, capabilities: [task.spawn]}',
    child: 'requires: {fs: {read: ["{workspace}/**"], write: ["{workspace}/**"]}}',
    call: write('a'),
    expected: 'refused',
  },
  {
    deep: true,
    name: 'VC-71: the parent runs no command, the child wants to',
    parent: 'requires: {shell: []}',
    child: 'requires: {shell: [{cmd: "*"}]}',
    call: bash('ls'),
    expected: 'refused',
  },
  {
    deep: true,
    name: 'VC-72: the parent is limited to docs, the child declares everything',
    parent: 'requires: {fs: {read: ["{workspace}/docs/**"], write: ["{workspace}/docs/**"]}}',
    child: 'requires: {fs: {read: ["{workspace}/**"], write: ["{workspace}/**"]}}',
    call: write('src/a'),
    expected: 'refused',
  },
  {
    name: "VC-72: what lies in both is the child's to ask about",
    parent: 'requires: {fs: {read: ["{workspace}/docs/**"], write: ["{workspace}/docs/**"]}}',
    child: 'requires: {fs: {read: ["{workspace}/**"], write: ["{workspace}/**"]}}',
    call: write('docs/a'),
    expected: 'asks',
  },
  {
    name: 'the child is narrower than the parent',
    child: 'requires: {fs: {read: ["{workspace}/**"], write: ["{workspace}/docs/**"]}}',
    call: write('src/a'),
    expected: 'refused',
  },
  {
    deep: true,
    name: "RU-027: the child allows what the user's rules deny",
    child: rules('bash | rm * | allow'),
    rules: [{ permission: 'bash', pattern: 'rm *', action: 'deny' }],
    call: bash('rm -rf build'),
    expected: 'denied',
  },
  {
    deep: true,
    name: "the child allows what the parent's definition denies",
    parent: rules('bash | true | deny'),
    child: rules('bash | true | allow'),
    call: bash('true'),
    expected: 'denied',
  },
  {
    name: "the child's narrower allow does not lift the parent's ask",
    parent: rules('bash | make * | ask'),
    child: rules('bash | make all | allow'),
    call: bash('make all'),
    expected: 'asks',
  },
  {
    name: 'an allow of the child alone allows nothing',
    child: rules('write | a | allow'),
    call: write('a'),
    expected: 'asks',
  },
  {
    deep: true,
    name: 'an allow of both allows',
    parent: rules('write | * | allow'),
    child: rules('write | a | allow'),
    call: write('a'),
    expected: 'runs',
  },
  {
    name: "the child's deny is its own",
    parent: rules('write | * | allow'),
    child: rules('write | a | deny'),
    call: write('a'),
    expected: 'denied',
  },
  {
    deep: true,
    name: 'the child requires another host than the parent',
    parent: 'requires: {net: {hosts: ["a.example"]}, capabilities: [task.spawn]}',
    child: 'requires: {net: {hosts: ["*"]}}',
    call: { tool: 'web_fetch', input: { url: 'https://b.example/' } },
    expected: 'refused',
  },
  {
    deep: true,
    name: 'the child has tools of MCP servers, and the parent none, whatever the rules allow',
    parent: 'tools: [read, task]',
    rules: [{ permission: 'mcp:srv:*', pattern: '*', action: 'allow' }],
    call: { tool: 'srv_act', input: {} },
    expected: 'refused',
  },
  {
    deep: true,
    name: "the user's allow of an MCP tool holds for both",
    rules: [{ permission: 'mcp:srv:*', pattern: '*', action: 'allow' }],
    call: { tool: 'srv_act', input: {} },
    expected: 'runs',
  },
  {
    name: 'a tool of an MCP server asks in the child',
    call: { tool: 'srv_act', input: {} },
    expected: 'asks',
  },
  {
    name: "the user's allow holds for both",
    rules: [{ permission: 'write', pattern: 'a', action: 'allow' }],
    call: write('a'),
    expected: 'runs',
  },
];

const DEPTHS = [
  [1, 'child'],
  [2, 'grandchild'],
  [3, 'third level'],
] as const;

// The host of a row serves both: to start one takes longer than what it is asked.
for (const row of ROWS) {
  const [, vector = '', name = row.name] = /^(VC-\d+: |RU-\d+: )?(.*)$/.exec(row.name) ?? [];
  test(`subagents, waited for and in the background: ${row.name}`, async (t) => {
    const matrix = await open(t, row);
    for (const background of [false, true]) {
      for (const [depth, level] of DEPTHS) {
        if (depth === 3 && !row.deep) continue;
        const where = `${level}${background ? ' in the background' : ''}`;
        const title = vector.startsWith('VC-')
          ? `${vector}${where}: ${name}`
          : `${where}: ${row.name}`;
        await t.test(title, () => check(matrix, row, depth, background));
      }
    }
  });
}

interface Matrix {
  readonly host: Connected;
  /** What is tried now: how deep, whether in the background, and what the deepest subagent was told of its call. */
  readonly now: { depth: number; background: boolean; told: string[] };
}

/** A host of the row, in which a session tries each depth. */
async function open(t: TestContext, row: Row): Promise<Matrix> {
  const now: Matrix['now'] = { depth: 0, background: false, told: [] };
  const host = await connect(t, {
    // The sandbox confines no server to a workspace that holds the home folder.
    env: { GATEHOUSE_AGENT: 'top', HOME: await temporary(t) },
    client: { permission: () => ALLOW },
    script: ({ conversation }) => {
      const { prompt: asked, results } = conversation;
      const [result] = results;
      const at = Number(asked);
      // The host says that a task in the background has finished.
      if (Number.isNaN(at)) return { text: 'noted' };
      if (result !== undefined) {
        if (at === now.depth) now.told.push(result.ok ? 'ok' : result.errorText);
        return { text: `end ${at}` };
      }
      if (at === now.depth) return { calls: [row.call] };
      const input = {
        subagent_type: 'sub',
        prompt: String(at + 1),
        background: now.background && at === now.depth - 1,
      };
      return { calls: [{ tool: 'task', input }] };
    },
  });
  const agents = path.join(host.data, 'agents');
  mkdirSync(agents, { recursive: true });
  const file = (mode: string, front = '') =>
    `---\ndescription: D.\nmode: ${mode}\n${front}\n---\nP.\n`;
  writeFileSync(path.join(agents, 'top.md'), file('primary', row.parent));
  // In a longer chain, the limits of the parent reach over a subagent that has none of its own.
  writeFileSync(path.join(agents, 'sub.md'), file('subagent', row.child));
  const settings = { 'gatehouse.permissions': row.rules ?? [], ...WAIT_FOR_SERVERS };
  writeFileSync(path.join(host.data, 'settings.json'), JSON.stringify(settings));
  return { host, now };
}

async function check(
  { host, now }: Matrix,
  row: Row,
  depth: number,
  background: boolean,
): Promise<void> {
  // What an earlier depth wrote would be a file that this one has not read.
  rmSync(path.join(host.workspace, 'a'), { force: true });
  rmSync(path.join(host.workspace, 'docs'), { recursive: true, force: true, maxRetries: 5 });
  now.depth = depth;
  now.background = background;
  now.told = [];
  const askedBefore = requests(host, 'session/request_permission').length;
  const saidBefore = said(host).length;
  await prompt(host, await openWith(host, row), '0');
  await until(() => now.told.length > 0, 'the call of the subagent');
  const asked = requests(host, 'session/request_permission').length - askedBefore;
  const [told = ''] = now.told;
  assert.deepEqual(
    [toOutcome(told, asked), asked > 0],
    [row.expected, row.expected === 'asks'],
    told,
  );
  if (row.expected === 'refused' || row.expected === 'denied') {
    assert.equal(existsSync(path.join(host.workspace, 'src/a')), false);
  }
  if (background) await until(() => said(host).length > saidBefore, 'an answer');
}

/** A session with an MCP server, if the row calls one. */
async function openWith(host: Connected, { call }: Row): Promise<string> {
  if (call.tool !== 'srv_act') return newSession(host);
  return startSession(host, [stdio('srv', HOSTILE, 'plain')]);
}

function toOutcome(told: string, asked: number): Row['expected'] {
  if (told === 'ok' || asked > 0) return asked > 0 ? 'asks' : 'runs';
  return /capabilities/.test(told) ? 'refused' : 'denied';
}
