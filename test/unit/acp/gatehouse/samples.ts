import type {
  ClientNotifications,
  ClientRequests,
  HostRequests,
  ParamsOf,
  ResultOf,
} from '../../../../src/acp/gatehouse/methods.ts';

type Samples<All extends HostRequests | ClientRequests> = {
  readonly [Name in keyof All]: {
    readonly params: readonly unknown[];
    readonly results: readonly unknown[];
  };
};

const RULE = { permission: 'bash', pattern: 'npm *', action: 'allow', added_at: 7 } as const;
const RULE_WORDS = {
  ...{ permission: 'bash', pattern: '*', action: 'ask', source: 'project' },
  origin: { layer: 'user', file: '/u' },
} as const;
const HASH = 'a'.repeat(64);
const ORIGIN = { layer: 'folder', file: '/w/s.json', folder: '/w', index: 3 } as const;
const TOOL = {
  ...{
    id: 'mail',
    source: 'declared',
    server: 's',
    signIn: 'done',
    kind: 'other',
    description: 'Sends.',
    why: 'Not yet.',
  },
  ...{ requires: {}, parameters: { type: 'object' }, state: 'not offered', lastError: 'No.' },
  ...{ file: '/w/tools.json', pointer: '/tools/0' },
} as const;

const QUEUE = {
  sessionId: 's',
  running: 'q0',
  entries: [{ id: 'q1', text: 'Then this.', attachments: 1, since: 5, steered: true }],
  paused: true,
} as const;

const CODE_RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } } as const;

const MODEL_PARTS = [
  { type: 'text', text: 'Hi' },
  { type: 'call', id: 'c', name: 'read', input: { path: 'a' } },
  { type: 'image', mediaType: 'image/png', data: 'AA==' },
  { type: 'result', id: 'c', text: 'ok' },
] as const;

/** One valid message of each kind with every field it can have, checked by the compiler. */
export const HOST_SAMPLES = {
  configure: {
    params: [
      {
        settings: { 'model.id': 'm' },
        rules: [{ ...RULE, origin: ORIGIN }],
        files: [{ layer: 'folder', path: '/w/.vscode/settings.json', folder: '/w' }],
        workspace: { roots: ['/w'], adHoc: ['/x'], trusted: true },
        editor: { rgPath: '/bin/rg' },
      } satisfies ParamsOf<HostRequests, 'configure'>,
    ],
    results: [
      {
        problems: [
          { origin: { layer: 'user', file: '/u', index: 1 }, message: 'No.', damagedLine: 3 },
        ],
      } satisfies ResultOf<HostRequests, 'configure'>,
    ],
  },
  decisions: {
    params: [{ sessionId: 's', toolCallId: 'c' }],
    results: [
      {
        decisions: [
          {
            ...{
              at: 7,
              toolCallId: 'c',
              tool: 'bash',
              about: 'call',
              decision: 'deny',
              by: 'user',
            },
            ...{ layer: 'rules', reason: 'No rule.', userReason: 'No.', paths: ['/w/a'] },
            ...{ rule: RULE_WORDS, durationMs: 3, rules: { user: 'h' }, inForce: [RULE_WORDS] },
            subjects: [
              {
                permission: 'bash',
                target: 'ls',
                decision: 'ask',
                rule: RULE_WORDS,
                reason: 'No.',
              },
            ],
          },
        ],
        ...{ older: 0, damaged: 1 },
      } satisfies ResultOf<HostRequests, 'decisions'>,
    ],
  },
  rules: {
    params: [
      { sessionId: 's', permission: 'bash', file: '/u', text: 'npm', offset: 0, limit: 500 },
    ],
    results: [
      {
        total: 1,
        permissions: [{ permission: 'bash', count: 1 }],
        rules: [
          {
            ...{ permission: 'bash', pattern: 'npm *', action: 'ask', source: 'project' },
            ...{ origin: ORIGIN, hits: 2, lastUsed: 7, state: 'broken', problem: 'No.' },
          },
        ],
      } satisfies ResultOf<HostRequests, 'rules'>,
    ],
  },
  importRules: {
    params: [
      {},
      { folder: '/w', userSettings: '/u' } satisfies ParamsOf<HostRequests, 'importRules'>,
    ],
    results: [
      {
        searched: [{ product: 'Cline', path: '/u' }],
        files: [{ source: { product: 'Cline', path: '/u' }, entries: 1, problem: 'No.' }],
        entries: [
          {
            ...{ source: { product: 'Cline', path: '/u' }, written: 'ls', action: 'allow' },
            rules: [{ permission: 'bash', pattern: 'ls', action: 'allow', destination: 'user' }],
            ...{ reason: 'No.', known: true },
          },
        ],
        rules: [
          {
            ...{ permission: 'bash', pattern: 'ls', action: 'allow', destination: 'workspace' },
            hash: HASH,
          },
        ],
        untrusted: true,
      } satisfies ResultOf<HostRequests, 'importRules'>,
    ],
  },
  explain: {
    params: [{ sessionId: 's', tool: 'bash', input: { command: 'ls' } }],
    results: [
      {
        ...{ decision: 'ask', layer: 'rules', reason: 'No rule.' },
        rule: {
          ...{ permission: 'bash', pattern: '*', action: 'ask', source: 'project' },
          origin: { layer: 'user', file: '/u' },
        },
        subjects: [{ permission: 'bash', target: 'ls', decision: 'ask' }],
        near: 'Nearly.',
        candidates: [{ rules: [{ permission: 'bash', pattern: 'ls', action: 'allow' }] }],
        problems: [{ index: 0, message: 'No.' }],
      } satisfies ResultOf<HostRequests, 'explain'>,
    ],
  },
  rulesDocument: {
    params: [
      {},
      { sessionId: 's', file: '/w/s', accepted: true } satisfies ParamsOf<
        HostRequests,
        'rulesDocument'
      >,
    ],
    results: [{ text: '[]' } satisfies ResultOf<HostRequests, 'rulesDocument'>],
  },
  commitMessage: {
    params: [
      { root: '/w' },
      { sessionId: 's', root: '/w', draft: 'Fix' } satisfies ParamsOf<
        HostRequests,
        'commitMessage'
      >,
    ],
    results: [{ message: 'Fix it' } satisfies ResultOf<HostRequests, 'commitMessage'>],
  },
  promptDocument: {
    params: [{ sessionId: 's' } satisfies ParamsOf<HostRequests, 'promptDocument'>],
    results: [{ text: '# Told' } satisfies ResultOf<HostRequests, 'promptDocument'>],
  },
  pending: {
    params: [{}],
    results: [
      {
        asks: [
          {
            ...{ sessionId: 's', toolCallId: 'c', askId: 'a', title: 'T', since: 1 },
            kind: 'approval',
            source: { order: 1, agent: 'build', session: 'T', parent: 'p' },
          },
        ],
      } satisfies ResultOf<HostRequests, 'pending'>,
    ],
  },
  accept: { params: [{ path: '/w/a', hash: HASH, accepted: true }], results: [{}] },
  dropRule: {
    params: [
      { rule: RULE, sessionId: 's' },
      { rule: RULE, file: '/w/s.json' },
    ],
    results: [{}],
  },
  terminalInput: {
    params: [{ terminalId: 't', data: 'x', signal: 'EOF', background: true }],
    results: [{}],
  },
  callOutput: {
    params: [{ sessionId: 's', toolCallId: 'c' }],
    results: [{ text: 'a' }, { text: 'a', path: '/o' }],
  },
  tools: {
    params: [{ sessionId: 's' }, {}],
    results: [
      {
        tools: [TOOL],
        pending: [
          {
            file: '/w/t',
            hash: HASH,
            tools: [{ id: 'a', runs: 'b', reachesAnyHost: true, hosts: ['h'], description: 'c' }],
          },
        ],
      },
    ],
  },
  serverAction: {
    params: [
      { sessionId: 's', server: 'x', action: 'restart' },
      { server: 'x', action: 'restart' },
    ],
    results: [{}],
  },
  serverContent: {
    params: [{ sessionId: 's' }, {}],
    results: [
      {
        resources: [{ server: 's', uri: 'a://b', name: 'B', description: 'D.' }],
        templates: [
          {
            ...{ server: 's', template: 'a://{b}', name: 'B', description: 'D.' },
            completes: true,
          },
        ],
        prompts: [
          {
            ...{ server: 's', name: 'p', description: 'D.', completes: false },
            arguments: [{ name: 'a', description: 'D.', required: true }],
          },
        ],
      },
    ],
  },
  readContent: {
    params: [
      { sessionId: 's', server: 's', uri: 'a://b' },
      { server: 's', prompt: 'p', arguments: { a: 'b' } },
    ],
    results: [
      {
        parts: [
          { type: 'text', text: 'T' },
          { type: 'image', mimeType: 'image/png', data: 'AA==' },
        ],
      },
    ],
  },
  completeContent: {
    params: [
      { sessionId: 's', server: 's', prompt: 'p', argument: 'a', value: 'b', given: { c: 'd' } },
      { server: 's', template: 'a://{b}', argument: 'b', value: '' },
    ],
    results: [{ values: ['x'] }],
  },
  newTool: {
    params: [
      {
        ...{ root: '/w', dialect: 'runloop', name: 'n', description: 'd', example: { a: 1 } },
        ...{ tool: 't', command: '/bin/x', url: 'https://x', method: 'GET' },
      },
    ],
    results: [{ files: ['/w/tools.json'], error: 'No.' }],
  },
  tryTool: {
    params: [{ sessionId: 's', file: '/w/t', pointer: '/tools/0', input: {} }],
    results: [{ envelope: { type: 'output' } }, { why: 'No.' }],
  },
  history: {
    params: [{ sessionId: 's', before: 'msg_1', limit: 20 }],
    results: [
      { updates: [{ sessionUpdate: 'plan', entries: [] }], before: 'msg_0' } satisfies ResultOf<
        HostRequests,
        'history'
      >,
    ],
  },
  updateSession: {
    params: [
      { sessionId: 's', title: 'Mail', pinned: true, archived: false } satisfies ParamsOf<
        HostRequests,
        'updateSession'
      >,
    ],
    results: [
      {
        ...{ v: 1, sessionId: 's', cwd: '/w', state: 'waiting_permission', title: 'Mail' },
        ...{ pinned: true, archived: false, updatedAt: 7, parentId: 'p' },
      } satisfies ResultOf<HostRequests, 'updateSession'>,
    ],
  },
  clearSessions: {
    params: [{ cwds: ['/w'], preview: true }, {}],
    results: [{ sessions: 2, open: ['s'], pinned: 1, waiting: 1, bytes: 4096 }],
  },
  searchSessions: {
    params: [
      { query: 'ma', cwd: '/w', limit: 5, before: 'm' } satisfies ParamsOf<
        HostRequests,
        'searchSessions'
      >,
    ],
    results: [
      {
        hits: [
          {
            ...{ sessionId: 's', title: 'Mail', messageId: 'm', snippet: 'a mail' },
            ...{ marks: [[2, 6]], updatedAt: 7 },
          },
        ],
        indexing: true,
      } satisfies ResultOf<HostRequests, 'searchSessions'>,
    ],
  },
  forkSession: { params: [{ sessionId: 's', messageId: 'm' }], results: [{ sessionId: 't' }] },
  rewind: {
    params: [{ sessionId: 's', messageId: 'm' }],
    results: [
      {
        ...{ text: 'Hi.', attachments: [{ type: 'image' }], hidden: 2 },
        ...{ files: ['/w/a'], notice: 'No.' },
      },
    ],
  },
  unrewind: { params: [{ sessionId: 's' }], results: [{ restored: 2 }] },
  exportSession: {
    params: [{ sessionId: 's', format: 'jsonl', file: '/w/a.jsonl' }],
    results: [{ text: '{}' }, { file: '/w/a.jsonl' }],
  },
  importSession: { params: [{ file: '/w/a.jsonl', cwd: '/w' }], results: [{ sessionId: 's' }] },
  retryNow: { params: [{ sessionId: 's' }], results: [{}] },
  waitingSessions: { params: [{ cwd: '/w' }], results: [{ sessionIds: ['s'] }] },
  continue: { params: [{ sessionId: 's' }], results: [{ stopReason: 'end_turn' }] },
  compact: { params: [{ sessionId: 's' }], results: [{ stopReason: 'cancelled' }] },
  queue: { params: [{ sessionId: 's' }], results: [QUEUE] },
  removeQueued: {
    params: [
      { sessionId: 's', id: 'q' },
      { sessionId: 's', id: 'q', withAttachments: true },
    ],
    results: [{ changed: false }, { changed: true, attachments: [{ type: 'image' }] }],
  },
  moveQueued: {
    params: [{ sessionId: 's', id: 'q', before: 'p' }],
    results: [{ changed: true }],
  },
  steer: { params: [{ sessionId: 's', queueId: 'q' }], results: [{ changed: true }] },
  resumeQueue: { params: [{ sessionId: 's' }], results: [{ changed: false }] },
  editQueued: { params: [{ sessionId: 's', id: 'q', text: 'x' }], results: [{ changed: false }] },
  review: { params: [{ sessionId: 's' }], results: [{ files: ['/w/a'] }] },
  revert: {
    params: [{ sessionId: 's', toolCallId: 'c' }],
    results: [{ files: ['/w/a'], conflicts: ['/w/b'] }],
  },
  unreviewed: {
    params: [{ sessionId: 's', path: '/w/a' }],
    results: [{ revision: 'r', before: '', after: 'b' }, { revision: '' }],
  },
  resolveChanges: {
    params: [
      {
        sessionId: 's',
        decision: 'undo',
        files: [
          { path: '/w/a', revision: 'r', hunks: [0, 2] },
          { path: '/w/b', revision: 'r' },
        ],
      },
    ],
    results: [{ written: ['/w/a'], conflicts: ['/w/b'], outdated: ['/w/c'] }],
  },
  models: {
    params: [
      { refresh: true, unasked: true, provider: 'openai', baseUrl: 'https://e.example/v1' },
      {},
    ],
    results: [
      {
        pricesFrom: '2026-06-30',
        providers: [
          {
            ...{ id: 'openai', label: 'OpenAI', kind: 'cloud', state: 'found', problem: 'No.' },
            ...{ keyId: 'model/openai', keyFrom: 'stored', baseUrl: 'https://e.example/v1' },
            models: [
              {
                ...{ ref: 'openai:m', id: 'm', name: 'M', contextTokens: 9, images: true },
                ...{ tools: false, price: { input: 1, output: 2.5 }, account: 'copilot' },
              },
            ],
          },
        ],
      } satisfies ResultOf<HostRequests, 'models'>,
    ],
  },
  tryModel: {
    params: [{ ref: 'openai:m', baseUrl: 'https://e.example/v1' }],
    results: [{ answered: true }, { answered: false, problem: 'No.', kind: 'other' }],
  },
  languageModelPart: {
    params: MODEL_PARTS.slice(0, 2).map((part) => ({ callId: 'lmc_1', part })),
    results: [{}],
  },
} as const satisfies Samples<HostRequests>;

export const CLIENT_SAMPLES = {
  secret: { params: [{ id: 'model/x' }], results: [{ value: 'k' }, { value: null }] },
  serverInput: {
    params: [
      {
        ...{ server: 'x', key: HASH, again: true },
        input: { id: 'i', description: 'D.', password: true, initial: 'a', options: ['a'] },
      },
      { server: 'x', key: HASH, again: false, input: { id: 'i', password: false } },
    ],
    results: [{ value: 'v' }, { value: null }],
  },
  editorTools: {
    params: [{}],
    results: [{ tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }] }],
  },
  editorTool: {
    params: [{ name: 'look', input: { a: 1 } }],
    results: [{ texts: ['a'] }, { texts: [], error: 'No.' }],
  },
  language: {
    params: [
      {
        ...{ operation: 'rename', path: '/w/a.ts', lineText: 'a', text: 'b' },
        position: { line: 0, character: 0 },
      },
      { operation: 'diagnostics' },
    ],
    results: [
      {
        locations: [
          { path: '/w/a.ts', range: CODE_RANGE, text: 'a', kind: 'variable', from: 'ts' },
        ],
        files: [{ path: '/w/a.ts', textHash: HASH, edits: [{ range: CODE_RANGE, newText: 'b' }] }],
        ...{ cut: true, starting: true, error: 'No.' },
      },
      {},
    ],
  },
  storeSecret: {
    params: [
      { id: `mcp/oauth/${HASH}`, value: 'v' },
      { id: `mcp/oauth/${HASH}`, value: null },
    ],
    results: [{}],
  },
  openBrowser: {
    params: [{ server: 'x', url: 'https://a.example/' }],
    results: [{ opened: true }],
  },
  externalUri: {
    params: [{ url: 'http://127.0.0.1:9/callback' }],
    results: [{ url: 'https://tunnel.example/callback' }],
  },
  saveRule: { params: [{ rule: RULE, destination: 'user' }], results: [{ file: '/u' }, {}] },
  documents: {
    params: [{ paths: ['/w/a'] }, {}],
    results: [
      {
        documents: [
          {
            ...{ path: '/w/a', uri: 'file:///w/a', dirty: true, version: 2, encoding: 'utf8' },
            eol: '\r\n',
          },
        ],
      } satisfies ResultOf<ClientRequests, 'documents'>,
    ],
  },
  languageModels: {
    params: [{}],
    results: [{ models: [{ id: 'm', name: 'M', vendor: 'v', contextTokens: 8192 }] }],
  },
  languageModel: {
    params: [
      {
        ...{ callId: 'lmc_1', modelId: 'm' },
        messages: [{ role: 'user', parts: MODEL_PARTS }],
        tools: [{ name: 'read', description: 'Reads.', parameters: { type: 'object' } }],
      } satisfies ParamsOf<ClientRequests, 'languageModel'>,
    ],
    results: [{}, { error: { code: 'NoPermissions', message: 'No.' } }],
  },
} as const satisfies Samples<ClientRequests>;

export const NOTIFICATION_SAMPLES = {
  terminal: [
    { terminalId: 't', event: 'opened', title: 'T', command: 'ls', cwd: '/w' },
    { terminalId: 't', event: 'output', data: 'x' },
    { terminalId: 't', event: 'closed', exitCode: 1, signal: 'SIGTERM' },
  ],
  queueChanged: [QUEUE],
  problemsChanged: [
    {
      problems: [
        {
          origin: { layer: 'workspace', file: '/w/s', index: 0 },
          message: 'No.',
          waiting: { rule: { permission: 'bash', pattern: 'ls', action: 'allow' }, hash: 'h' },
        },
      ],
    },
  ],
  sandboxChanged: [{ state: 'unproven', reason: 'No.', required: true, offer: true }],
  sessionsChanged: [{}],
  toolsChanged: [{}],
  unreviewedChanged: [
    {
      sessionId: 's',
      files: [{ path: '/w/a', revision: 'r', kind: 'created', hunks: 1, added: 3, removed: 0 }],
    },
  ],
} as const satisfies {
  readonly [Name in keyof ClientNotifications]: readonly ParamsOf<ClientNotifications, Name>[];
};
