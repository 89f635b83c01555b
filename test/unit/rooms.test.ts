import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const SOURCE = path.resolve(import.meta.dirname, '../../src');

/**
 * Who may import whom. A row is a folder of `src` without its sub-folders; it may import from
 * itself and from what its row lists: a folder (`base`), a folder with everything below it
 * (`base/`), or one file (`webview/messages/messages.ts`).
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  acp: ['acp/gatehouse', 'base/', 'diff'],
  'acp/gatehouse': ['base/', 'diff'],
  'acp/hosted': ['acp', 'base', 'base/stream'],
  agent: ['agent/compaction', 'agent/endpoint', 'base/', 'runtime', 'tools'],
  'agent/prompt': ['base/text'],
  'agent/compaction': ['base/'],
  'agent/endpoint': ['base/'],
  'agent/models': ['agent', 'agent/endpoint', 'base/stream', 'base'],
  'agent/providers': ['agent', 'agent/endpoint', 'agent/models', 'agent/providers/ollama', 'base'],
  'agent/providers/ollama': ['agent', 'agent/endpoint', 'agent/models', 'base'],
  agentDefinitions: ['base/', 'gate', 'permissions/patterns', 'permissions/rules', 'tools'],
  base: [],
  'base/disk': ['base'],
  'base/text': ['base'],
  'base/stream': ['base', 'base/tools'],
  'base/tools': ['base', 'base/text'],
  declared: [
    'base/',
    'declared/agentcli',
    'declared/compozy',
    'declared/covered',
    'declared/manifest',
    'declared/run',
    'declared/runloop',
    'declared/runloop/scaffold',
    'declared/scaffold',
    'declared/schemas',
    'tools',
  ],
  'declared/agentcli': [
    'base/',
    'declared/manifest',
    'declared/run',
    'declared/scaffold',
    'declared/schemas',
    'runtime',
    'tools',
  ],
  'declared/compozy': [
    'base/',
    'declared/manifest',
    'declared/run',
    'declared/scaffold',
    'declared/schemas',
    'runtime',
    'runtime/commands',
    'tools',
  ],
  'declared/covered': ['base/', 'declared/manifest'],
  'declared/manifest': ['base/'],
  'declared/run': [
    'base/',
    'declared/manifest',
    'permissions/rules',
    'runtime',
    'runtime/commands',
    'tools',
  ],
  'declared/runloop': [
    'base/',
    'declared/manifest',
    'declared/run',
    'declared/schemas',
    'permissions/rules',
    'runtime',
    'tools',
  ],
  'declared/runloop/scaffold': [
    'base/',
    'declared/manifest',
    'declared/runloop',
    'declared/scaffold',
  ],
  'declared/scaffold': ['base/disk'],
  'declared/schemas': ['base/', 'declared/manifest', 'runtime/workers'],
  diff: [],
  extension: [
    'extension/mcp',
    'extension/models',
    'acp/gatehouse',
    'base/',
    'extension/asks',
    'extension/chat',
    'extension/context',
    'extension/declared',
    'extension/git',
    'extension/host',
    'extension/language',
    'extension/review',
    'extension/review/editors',
    'extension/review/proposal',
    'extension/rules',
    'extension/rules/explain',
    'extension/rules/files',
    'extension/sessions',
    'extension/setup',
    'extension/terminal',
    'extension/text',
    'extension/unreviewed',
    'extension/views',
    'webview/messages',
  ],
  'extension/asks': ['acp/gatehouse', 'base/', 'extension/text', 'webview/messages'],
  'extension/chat': [
    'acp',
    'acp/gatehouse',
    'base/',
    'extension/asks',
    'extension/chat/loading',
    'extension/chat/queue',
    'extension/host',
    'extension/review',
    'extension/text',
    'webview/messages',
  ],
  'extension/chat/loading': ['acp/gatehouse', 'extension/host', 'webview/messages'],
  'extension/chat/queue': ['acp/gatehouse', 'webview/messages'],
  'extension/chat/subagents': [
    'base',
    'extension/chat',
    'extension/host',
    'extension/text',
    'webview/messages',
  ],
  'extension/context': [
    'acp',
    'base/',
    'extension/chat',
    'extension/git',
    'extension/text',
    'webview/messages',
  ],
  'extension/declared': ['acp/gatehouse', 'base/', 'extension/host', 'extension/text'],
  'extension/git': ['acp/gatehouse', 'base/', 'extension/text'],
  'extension/host': ['acp', 'acp/gatehouse', 'base/', 'extension/setup'],
  'extension/language': ['base/', 'extension/context', 'extension/host'],
  'extension/mcp': [
    'acp/gatehouse',
    'base/',
    'extension/asks',
    'extension/context',
    'extension/host',
    'extension/setup',
    'extension/text',
  ],
  'extension/models': [
    'acp/gatehouse',
    'base',
    'extension/asks',
    'extension/chat',
    'extension/git',
    'extension/host',
    'extension/setup',
    'extension/text',
    'webview/messages',
  ],
  'extension/review': [
    'acp/gatehouse',
    'base/',
    'diff',
    'extension/review/editors',
    'extension/review/proposal',
    'extension/text',
    'extension/unreviewed',
    'webview/messages',
  ],
  'extension/review/editors': ['base/', 'diff', 'extension/review/proposal', 'extension/text'],
  'extension/review/proposal': ['acp/gatehouse', 'base/', 'diff'],
  'extension/rules': [
    'acp/gatehouse',
    'base/',
    'extension/host',
    'extension/rules/files',
    'extension/text',
    'settings',
    'webview/messages',
  ],
  'extension/rules/files': ['acp/gatehouse', 'base/', 'diff', 'extension/host', 'settings'],
  'extension/rules/explain': ['acp/gatehouse', 'base/', 'extension/host', 'extension/text'],
  'extension/sessions': [
    'acp/gatehouse',
    'base',
    'base/text',
    'extension/chat',
    'extension/host',
    'extension/text',
    'webview/messages',
  ],
  'extension/setup': ['acp/gatehouse', 'base/', 'extension/text', 'webview/messages'],
  'extension/terminal': [
    'acp/gatehouse',
    'base/',
    'extension/host',
    'extension/text',
    'webview/messages',
  ],
  'extension/text': ['acp/gatehouse', 'base', 'base/text', 'webview/messages'],
  'extension/unreviewed': [
    'acp/gatehouse',
    'base/',
    'diff',
    'extension/host',
    'extension/review/proposal',
    'extension/text',
  ],
  'extension/views': [
    'acp/gatehouse',
    'base/',
    'extension/asks',
    'extension/chat',
    'extension/chat/subagents',
    'extension/context',
    'extension/host',
    'extension/review',
    'extension/review/editors',
    'extension/rules',
    'extension/setup',
    'extension/terminal',
    'extension/text',
    'extension/views/cardActions',
    'extension/views/page',
    'webview/messages',
  ],
  'extension/views/page': ['base/', 'extension/chat', 'extension/text', 'webview/messages'],
  'extension/views/cardActions': [
    'base',
    'extension/asks',
    'extension/chat',
    'extension/chat/subagents',
    'extension/host',
    'extension/review',
    'extension/review/editors',
    'extension/review/proposal',
    'extension/rules',
    'extension/terminal',
    'extension/text',
    'webview/messages',
  ],
  gate: [
    'base/',
    'diff',
    'permissions/decide',
    'permissions/evaluate',
    'permissions/patterns',
    'permissions/rules',
    'runtime',
  ],
  guidance: ['base/'],
  host: ['base/', 'runtime/commands'],
  'host/asks': [
    'acp',
    'acp/gatehouse',
    'base/',
    'gate',
    'host/client',
    'host/config',
    'permissions/rules',
    'runtime',
  ],
  'host/authoring': [
    'acp/gatehouse',
    'agent',
    'agent/models',
    'agentDefinitions',
    'base/',
    'declared',
    'declared/manifest',
    'declared/scaffold',
    'host',
    'host/client',
    'host/config',
    'host/session',
    'host/session/tools',
    'host/session/turn',
    'runtime',
    'runtime/commands',
    'tools',
  ],
  'host/cli': [
    'agentDefinitions',
    'base/',
    'declared',
    'declared/manifest',
    'gate',
    'host',
    'host/authoring',
    'host/cli/sessions',
    'host/config',
    'host/front',
    'host/imported',
    'host/services',
    'host/session/copy',
    'host/session/policy',
    'host/session/tools',
    'host/tools',
    'permissions/defaults',
    'permissions/evaluate',
    'permissions/explain',
    'permissions/patterns',
    'permissions/rules',
    'runtime',
    'runtime/commands',
    'runtime/files',
    'runtime/local',
    'runtime/net',
    'tools',
    'tools/locked',
  ],
  'host/cli/sessions': [
    'base/',
    'declared',
    'declared/manifest',
    'host',
    'host/config',
    'host/decisions',
    'host/services',
    'host/session/stored',
    'recorder',
    'recorder/library',
    'recorder/library/search',
  ],
  'host/client': ['acp', 'acp/gatehouse', 'base/', 'runtime', 'runtime/files'],
  'host/config': ['acp/gatehouse', 'base/', 'permissions/rules', 'recorder/file', 'runtime'],
  'host/decisions': [
    'base/',
    'declared/run',
    'gate',
    'host/config',
    'permissions/rules',
    'recorder/file',
  ],
  'host/front': [
    'host/modelRequests',
    'acp',
    'acp/gatehouse',
    'base/',
    'host/authoring',
    'host/client',
    'host/config',
    'host/imported',
    'host/services',
    'host/session',
    'host/session/stored',
    'host/session/tools',
    'host/session/turn',
    'recorder',
  ],
  'host/imported': [
    'acp/gatehouse',
    'base/',
    'host',
    'host/config',
    'host/imported/products',
    'permissions/patterns',
    'permissions/rules',
    'settings',
  ],
  'host/imported/products': ['base/', 'permissions/patterns', 'permissions/rules'],
  'host/models': [
    'acp/gatehouse',
    'agent',
    'agent/endpoint',
    'agent/models',
    'agent/providers',
    'base',
    'base/disk',
    'base/stream',
    'host/client',
    'host/config',
  ],
  'host/modelRequests': [
    'acp/gatehouse',
    'agent',
    'agent/endpoint',
    'agent/models',
    'base',
    'host/client',
    'host/models',
    'host/services',
  ],
  'host/services': [
    'acp/gatehouse',
    'base/',
    'host',
    'host/asks',
    'host/client',
    'host/config',
    'host/decisions',
    'host/models',
    'host/tools',
    'mcp/connect',
    'permissions/patterns',
    'permissions/rules',
    'recorder',
    'recorder/library/search',
    'runtime',
    'runtime/commands',
    'runtime/files',
    'runtime/local',
    'runtime/sandbox',
    'runtime/sandbox/linux',
    'tools',
  ],
  'host/session': [
    'agent/models',
    'acp',
    'acp/gatehouse',
    'agentDefinitions',
    'base/',
    'gate',
    'host/client',
    'host/config',
    'host/services',
    'host/session/agents',
    'host/session/policy',
    'host/session/prompt',
    'host/session/review',
    'host/session/tasks',
    'host/session/tools',
    'host/session/turn',
    'mcp/config',
    'permissions/defaults',
    'permissions/evaluate',
    'permissions/explain',
    'permissions/patterns',
    'permissions/rules',
    'recorder',
    'recorder/library',
  ],
  'host/session/agents': [
    'agentDefinitions',
    'base',
    'host/config',
    'host/services',
    'host/session/policy',
    'recorder',
  ],
  'host/session/copy': [
    'base/',
    'diff',
    'gate',
    'host/session/copy/look',
    'permissions/disk',
    'permissions/evaluate',
    'permissions/patterns',
    'permissions/rules',
    'recorder',
    'runtime',
    'runtime/commands',
    'runtime/local',
    'runtime/sandbox',
    'runtime/sandbox/changes',
    'runtime/sandbox/linux',
    'runtime/workers',
    'tools',
    'tools/copy',
  ],
  'host/session/copy/look': [
    'base/',
    'permissions/patterns',
    'permissions/rules',
    'runtime/sandbox/changes',
    'runtime/workers',
  ],
  'host/session/policy': [
    'host/services',
    'host/session/copy',
    'agentDefinitions',
    'base/',
    'host/client',
    'host/config',
    'permissions/defaults',
    'permissions/evaluate',
    'permissions/patterns',
    'permissions/rules',
    'recorder',
    'runtime/commands',
  ],
  'host/session/review': [
    'acp',
    'acp/gatehouse',
    'base/',
    'diff',
    'gate',
    'host/client',
    'host/config',
    'host/services',
    'host/session/tools',
    'permissions/rules',
    'recorder',
    'runtime',
    'runtime/files',
    'tools',
  ],
  'host/session/stored': [
    'acp',
    'acp/gatehouse',
    'base/',
    'host/client',
    'host/config',
    'host/services',
    'host/session',
    'recorder',
    'recorder/library',
  ],
  'host/session/tools': [
    'acp',
    'agentDefinitions',
    'base/',
    'gate',
    'host/asks',
    'host/client',
    'host/config',
    'host/services',
    'host/session/copy',
    'host/session/policy',
    'host/session/prompt',
    'permissions/patterns',
    'permissions/rules',
    'runtime',
    'tools',
    'tools/locked',
    'tools/search',
  ],
  'host/session/prompt': [
    'agent/prompt',
    'agentDefinitions',
    'base/',
    'guidance',
    'host/config',
    'host/services',
    'permissions/decide',
    'permissions/rules',
    'runtime/commands',
  ],
  'host/session/tasks': [
    'agentDefinitions',
    'base/',
    'host/asks',
    'host/client',
    'host/services',
    'host/session/policy',
    'recorder',
    'runtime',
  ],
  'host/session/turn': [
    'agent/models',
    'host/models',
    'acp',
    'agent',
    'agent/prompt',
    'agentDefinitions',
    'base/',
    'gate',
    'guidance',
    'host/client',
    'host/config',
    'host/decisions',
    'host/services',
    'host/session/prompt',
    'host/session/tools',
    'permissions/rules',
    'recorder',
    'recorder/file',
    'runtime',
    'tools',
  ],
  'host/tools': [
    'base/',
    'declared',
    'declared/run',
    'host',
    'host/client',
    'host/config',
    'mcp',
    'mcp/connect',
    'mcp/oauth',
    'tools',
    'tools/locked',
    'tools/clone',
    'tools/language',
    'tools/overview',
    'tools/patch',
    'tools/plan',
  ],
  mcp: ['base/', 'mcp/config', 'mcp/connect', 'mcp/oauth', 'mcp/tools', 'tools'],
  'mcp/config': ['base/', 'tools'],
  'mcp/connect': ['base/', 'permissions/patterns', 'runtime', 'runtime/commands', 'tools'],
  'mcp/oauth': ['base/', 'mcp/config', 'mcp/connect'],
  'mcp/tools': [
    'base/',
    'declared/schemas',
    'mcp/connect',
    'permissions/rules',
    'runtime',
    'tools',
  ],
  'language-server': [
    'base/',
    'declared/dialects.ts',
    'declared/findManifests.ts',
    'declared/manifest',
    'declared/parseManifest.ts',
    'declared/validateManifests.ts',
    'language-server/rules',
  ],
  'language-server/rules': [
    'base/',
    'declared/manifest',
    'language-server/rules/checks',
    'permissions/patterns',
    'permissions/rules',
    'settings',
  ],
  'language-server/rules/checks': [
    'base/',
    'permissions/decide',
    'permissions/defaults',
    'permissions/patterns',
    'permissions/rules',
  ],
  'permissions/decide': [
    'base/',
    'permissions/disk',
    'permissions/patterns',
    'permissions/patterns/git',
    'permissions/rules',
    'permissions/shell',
    'permissions/shell/bash',
    'permissions/shell/programs',
    'permissions/shell/windows',
  ],
  'permissions/defaults': ['permissions/patterns', 'permissions/rules'],
  'permissions/disk': ['base/', 'permissions/patterns'],
  'permissions/evaluate': [
    'base/',
    'permissions/decide',
    'permissions/disk',
    'permissions/moves',
    'permissions/patterns',
    'permissions/repository',
    'permissions/rules',
    'permissions/shell',
    'permissions/shell/bash',
    'permissions/shell/outline',
    'permissions/shell/programs',
    'permissions/shell/programs/tables',
    'permissions/shell/windows',
    'permissions/sweeps',
  ],
  'permissions/explain': ['base/', 'permissions/patterns', 'permissions/rules'],
  'permissions/moves': [
    'base/',
    'permissions/decide',
    'permissions/patterns',
    'permissions/repository',
    'permissions/rules',
    'permissions/shell',
    'permissions/sweeps',
  ],
  'permissions/patterns': ['base/', 'permissions/patterns/git'],
  'permissions/patterns/git': [],
  'permissions/repository': ['base/', 'permissions/patterns'],
  'permissions/rules': ['base/', 'permissions/patterns'],
  'permissions/shell': ['base/', 'permissions/disk'],
  'permissions/shell/bash': [
    'base/',
    'permissions/disk',
    'permissions/repository',
    'permissions/shell',
    'permissions/shell/git',
    'permissions/shell/names',
    'permissions/shell/programs',
    'permissions/shell/programs/spellings',
    'permissions/shell/programs/tables',
    'permissions/shell/variables',
  ],
  'permissions/shell/names': [
    'permissions/shell',
    'permissions/shell/programs',
    'permissions/shell/variables',
  ],
  'permissions/shell/outline': ['base/', 'permissions/shell'],
  'permissions/shell/git': ['base/', 'permissions/patterns', 'permissions/shell'],
  'permissions/shell/programs': [
    'permissions/patterns',
    'permissions/shell',
    'permissions/shell/git',
    'permissions/shell/programs/remotes',
    'permissions/shell/programs/spellings',
    'permissions/shell/programs/tables',
  ],
  'permissions/shell/programs/remotes': ['permissions/shell', 'permissions/shell/programs/tables'],
  'permissions/shell/programs/spellings': [
    'permissions/shell',
    'permissions/shell/programs/tables',
  ],
  'permissions/shell/programs/tables': [],
  'permissions/shell/variables': ['permissions/shell'],
  'permissions/sweeps': [
    'base/',
    'permissions/decide',
    'permissions/disk',
    'permissions/patterns',
    'permissions/repository',
    'permissions/rules',
    'permissions/shell',
    'permissions/shell/programs',
    'permissions/shell/programs/tables',
  ],
  'permissions/shell/windows': [
    'base/',
    'permissions/shell',
    'permissions/shell/bash',
    'permissions/shell/programs',
    'permissions/shell/programs/tables',
  ],
  recorder: ['base/', 'recorder/file'],
  'recorder/file': ['base/', 'runtime/workers'],
  'recorder/library': ['base/', 'recorder', 'recorder/file'],
  'recorder/library/search': ['base/', 'recorder', 'recorder/file'],
  runtime: ['base/', 'diff', 'permissions/evaluate', 'permissions/patterns', 'permissions/rules'],
  'runtime/clone': [
    'base',
    'base/disk',
    'permissions/patterns',
    'runtime',
    'runtime/commands',
    'runtime/files',
    'runtime/net',
  ],
  'runtime/commands': ['base/', 'permissions/rules', 'runtime'],
  'runtime/files': ['base/', 'diff', 'permissions/patterns', 'runtime'],
  'runtime/local': [
    'base/',
    'diff',
    'permissions/patterns',
    'runtime',
    'runtime/clone',
    'runtime/commands',
    'runtime/files',
    'runtime/net',
    'runtime/search',
  ],
  'runtime/net': ['base/', 'permissions/patterns', 'runtime'],
  'runtime/sandbox': [
    'base/',
    'runtime',
    'runtime/commands',
    'runtime/net',
    'runtime/sandbox/changes',
    'runtime/sandbox/egress',
    'runtime/sandbox/linux',
    'runtime/sandbox/seatbelt',
  ],
  'runtime/sandbox/egress': ['base', 'base/disk', 'runtime', 'runtime/net'],
  'runtime/sandbox/changes': ['base', 'base/disk'],
  'runtime/sandbox/seatbelt': ['base'],
  'runtime/sandbox/linux': ['base/', 'runtime/commands'],
  'runtime/search': [
    'base/',
    'permissions/evaluate',
    'permissions/patterns',
    'runtime',
    'runtime/commands',
    'runtime/files',
  ],
  'runtime/workers': ['base/'],
  settings: ['base'],
  tools: ['base/', 'diff', 'gate', 'permissions/rules', 'runtime', 'runtime/files', 'tools/copy'],
  'tools/copy': ['base/', 'diff', 'runtime'],
  'tools/locked/agents': ['base', 'runtime', 'tools'],
  'tools/locked': [
    'base/',
    'diff',
    'permissions/patterns',
    'permissions/rules',
    'runtime',
    'runtime/files',
    'tools',
    'tools/locked/agents',
    'tools/locked/page',
    'tools/locked/text',
  ],
  'tools/locked/page': ['base/', 'runtime/workers'],
  'tools/locked/text': ['base/', 'diff'],
  'tools/plan': ['base', 'tools'],
  'tools/clone': ['base', 'tools'],
  'tools/language': ['base/', 'diff', 'runtime', 'tools', 'tools/locked/text'],
  'tools/overview': ['base/', 'tools'],
  'tools/patch': ['base/', 'diff', 'gate', 'permissions/rules', 'runtime', 'tools'],
  'tools/search': ['tools'],
  webview: [
    'base/',
    'webview/cards',
    'webview/cards/output',
    'webview/composer',
    'webview/controls',
    'webview/markdown',
    'webview/messages',
    'webview/screen',
    'webview/state',
    'webview/transcript',
  ],
  'webview/cards': [
    'base/',
    'webview/cards/output',
    'webview/controls',
    'webview/markdown',
    'webview/messages',
    'webview/state',
    'webview/transcript/subagents',
  ],
  'webview/cards/output': ['webview/controls', 'webview/messages', 'webview/state'],
  'webview/composer': ['webview/controls', 'webview/messages', 'webview/state'],
  'webview/controls': [],
  'webview/messages': ['base/'],
  'webview/screen': ['webview/messages', 'webview/state'],
  'webview/state': ['base/', 'webview/messages'],
  'webview/markdown': ['webview/controls', 'webview/state'],
  'webview/start': ['webview/controls', 'webview/messages', 'webview/state'],
  'webview/transcript': [
    'webview/start',
    'webview/cards',
    'webview/controls',
    'webview/markdown',
    'webview/messages',
    'webview/state',
  ],
  'webview/transcript/subagents': ['webview/state'],
};

const FLAT_FILES = 15;

interface Edge {
  readonly from: string;
  readonly to: string;
  /** False for what TypeScript erases. */
  readonly value: boolean;
}

const IMPORT =
  /(?<typeof>typeof\s+)?\bimport\(\s*'(?<dynamic>\.[^']+)'|\b(?:import|export)\s+(?<type>type\s)?(?<names>[^;'"]*?)\bfrom\s*'(?<from>\.[^']+)'|\bimport\s+'(?<bare>\.[^']+)'/g;

const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => /\.tsx?$/.test(file));

const EDGES = FILES.flatMap(readEdges);

test('every folder has its row in the import table, and every row its folder', () => {
  const rooms = new Set(FILES.map(toRoom));
  assert.deepEqual([...rooms].sort(), Object.keys(ROOMS).sort());
});

test('imports follow the table', () => {
  const broken = EDGES.filter(({ from, to }) => !mayImport(from, to));
  assert.deepEqual(
    broken.map(({ from, to }) => `${from} imports ${to}`),
    [],
  );
});

test('no row of the table allows more than the code uses', () => {
  const unused = Object.entries(ROOMS).flatMap(([room, targets]) =>
    targets
      .filter(
        (target) => !EDGES.some(({ from, to }) => toRoom(from) === room && covers(target, to)),
      )
      .map((target) => `${room} -> ${target}`),
  );
  assert.deepEqual(unused, []);
});

test('rooms do not import each other', () => {
  const edges = EDGES.map(({ from, to }) => [toRoom(from), toRoom(to)] as const);
  assert.deepEqual(findCycles(edges), []);
});

test('no files need each other at run time', () => {
  const edges = EDGES.filter(({ value }) => value).map(({ from, to }) => [from, to] as const);
  assert.deepEqual(findCycles(edges), []);
});

test('no folder holds more than fifteen files side by side', () => {
  const counts = Map.groupBy(FILES, toRoom);
  const crowded = [...counts].filter(([, files]) => files.length > FLAT_FILES);
  assert.deepEqual(
    crowded.map(([room]) => room),
    [],
  );
});

function mayImport(from: string, to: string): boolean {
  const room = toRoom(from);
  return toRoom(to) === room || (ROOMS[room] ?? []).some((target) => covers(target, to));
}

function covers(target: string, file: string): boolean {
  if (target.endsWith('/')) return file.startsWith(target);
  return /\.tsx?$/.test(target) ? file === target : toRoom(file) === target;
}

function toRoom(file: string): string {
  return path.posix.dirname(file);
}

function readEdges(file: string): readonly Edge[] {
  const text = readFileSync(path.join(SOURCE, file), 'utf8');
  return [...text.matchAll(IMPORT)].flatMap(({ groups = {} }) => {
    const specifier = groups['from'] ?? groups['dynamic'] ?? groups['bare'] ?? '';
    const to = path.posix.join(path.posix.dirname(file), specifier);
    // Styles and built bundles are no modules of ours.
    if (!FILES.includes(to)) return [];
    const erased =
      groups['typeof'] !== undefined ||
      groups['type'] !== undefined ||
      isTypesOnly(groups['names'] ?? '');
    return [{ from: file, to, value: !erased }];
  });
}

function isTypesOnly(names: string): boolean {
  const listed = names.replace(/[{}]/g, '').split(',');
  const named = listed.map((name) => name.trim()).filter((name) => name !== '');
  return named.length > 0 && named.every((name) => name.startsWith('type '));
}

/** The groups of nodes that reach each other, each as a sorted list in one line. */
function findCycles(edges: readonly (readonly [from: string, to: string])[]): readonly string[] {
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    if (from === to) continue;
    const known = targets.get(from) ?? new Set();
    targets.set(from, known.add(to));
  }
  const reached = new Map([...targets.keys()].map((node) => [node, findReached(node, targets)]));
  const groups = new Set<string>();
  for (const [node, below] of reached) {
    const group = [...below].filter((other) => reached.get(other)?.has(node) === true);
    if (below.has(node)) groups.add(group.sort().join(', '));
  }
  return [...groups].sort();
}

function findReached(start: string, targets: ReadonlyMap<string, Set<string>>): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of targets.get(node) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return reached;
}
