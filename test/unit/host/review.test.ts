import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { ApprovedFile } from '../../../src/diff/fileChange.ts';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import { type Connected, calls, connect, newSession, prompt, temporary, until } from './harness.ts';

const REVIEWS = { _meta: { gatehouse: { v: 1, review: true, terminal: false } } };
const OLD = Array.from({ length: 12 }, (_, at) => `line ${at + 1}\n`).join('');

type Answer = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

interface Run {
  readonly host: Connected;
  readonly sessionId: string;
  /** The requests that the model got. */
  readonly asked: readonly ModelRequest[];
  readonly data: string;
  at(name: string): string;
  /** Writes the user's settings. */
  configure(settings: object): void;
  /** Runs when the model gets its request of this number, from 1. */
  onRequest(count: number, run: () => void): void;
  text(name: string): string | undefined;
}

/** A session in turn mode whose model plays `replies`; `answer` answers permission requests. */
async function start(
  t: TestContext,
  replies: readonly Reply[],
  answer: Answer,
  {
    files = {},
    settings = {},
    data,
    workspace,
    sessionId,
  }: {
    readonly files?: Readonly<Record<string, string | Buffer>>;
    readonly settings?: object;
    readonly data?: string;
    readonly workspace?: string;
    readonly sessionId?: string;
  } = {},
): Promise<Run> {
  const asked: ModelRequest[] = [];
  const folder = data ?? (await temporary(t));
  const configure = (more: object) => {
    const text = JSON.stringify({ 'review.mode': 'turn', ...more });
    writeFileSync(path.join(folder, 'settings.json'), text);
  };
  configure(settings);
  const hooks = new Map<number, () => void>();
  const host = await connect(t, {
    data: folder,
    ...(workspace === undefined ? {} : { workspace }),
    client: { capabilities: REVIEWS, permission: (params) => answer(params) },
    script: (request) => {
      asked.push(request);
      hooks.get(asked.length)?.();
      return replies[asked.length - 1] ?? { text: 'Nothing more.' };
    },
  });
  const at = (name: string) => path.join(host.workspace, name);
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  if (sessionId !== undefined) {
    await host.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  }
  return {
    ...{ host, asked, at, configure, data: folder },
    onRequest: (count, run) => void hooks.set(count, run),
    sessionId: sessionId ?? (await newSession(host)),
    text: (name) => (existsSync(at(name)) ? readFileSync(at(name), 'latin1') : undefined),
  };
}

function allow(approved?: readonly ApprovedFile[]): RequestPermissionResponse {
  const meta = approved && { _meta: { gatehouse: { approved } } };
  return { outcome: { outcome: 'selected', optionId: 'allow' }, ...meta };
}

/** Resolves when the review's card has an end: its outcome is stored then. */
function untilReviewed({ host }: Run): Promise<void> {
  const isEnd = ({ toolCallId, status }: ToolCallUpdate) =>
    toolCallId.startsWith('rev_') && (status === 'completed' || status === 'failed');
  return until(() => calls(host).some(isEnd), 'the review is answered');
}

function edit(name: string, line: number, text: string, id?: string) {
  const input = { path: name, old_string: `line ${line}\n`, new_string: text };
  return { tool: 'edit', input, ...(id !== undefined && { id }) };
}

/** The texts of the messages of one kind in a request. */
function textsOf(request: ModelRequest | undefined, role: string): readonly string[] {
  const { messages } = Object(request?.body);
  return messages
    .filter((message: { role: string }) => message.role === role)
    .map(({ content }: { content: unknown }) => JSON.stringify(content));
}

test('edits of a turn wait in the overlay, the agent reads them, and one review writes them', async (t) => {
  const reviews: RequestPermissionRequest[] = [];
  const onDisk: (string | undefined)[] = [];
  const run = await start(
    t,
    [
      {
        calls: [
          edit('a.txt', 1, 'ONE\n'),
          { tool: 'write', input: { path: 'new.txt', content: 'hello\n' } },
        ],
      },
      { calls: [edit('a.txt', 12, 'TWELVE\n'), { tool: 'read', input: { path: 'new.txt' } }] },
      {
        calls: [
          { tool: 'grep', input: { pattern: 'TWELVE|hello' } },
          { tool: 'glob', input: { pattern: '*.txt' } },
          { tool: 'read', input: { path: 'a.txt' } },
        ],
      },
      { text: 'Done.' },
    ],
    (request) => {
      reviews.push(request);
      onDisk.push(run.text('a.txt'), run.text('new.txt'));
      return allow();
    },
    { files: { 'a.txt': OLD } },
  );
  await prompt(run.host, run.sessionId);
  assert.deepEqual([run.text('a.txt'), run.text('new.txt')], [OLD, undefined], 'before the review');
  const edits = calls(run.host).filter(({ toolCallId }) => !toolCallId.startsWith('rev_'));
  assert.ok(
    !JSON.stringify(edits).includes('"layer":"user"'),
    'no card says that the user allowed it',
  );
  const results = textsOf(run.asked[3], 'tool');
  assert.match(results[0] ?? '', /awaits_review/);
  assert.match(results[3] ?? '', /hello/, 'read sees the new file');
  assert.match(results[4] ?? '', /TWELVE[\s\S]*hello|hello[\s\S]*TWELVE/, 'grep sees both');
  assert.match(results[5] ?? '', /new\.txt/, 'glob lists the new file');
  assert.match(results[6] ?? '', /ONE[\s\S]*TWELVE/, 'read sees both edits');
  await until(
    () => run.text('new.txt') !== undefined && run.text('a.txt') !== OLD,
    'the review is applied',
  );
  assert.deepEqual(onDisk, [OLD, undefined]);
  assert.equal(reviews.length, 1);
  const [review] = reviews;
  assert.equal(review?.toolCall.title, 'Review 2 files');
  assert.match(JSON.stringify(review), /"reason":"The agent proposed these changes\./);
  assert.deepEqual(
    review?.options.map(({ kind }) => kind),
    ['allow_once', 'reject_once'],
    'no rule can answer it',
  );
  assert.deepEqual(
    review?.toolCall.content?.map(
      (part) => part.type === 'diff' && [path.basename(part.path), part.oldText, part.newText],
    ),
    [
      ['a.txt', OLD, OLD.replace('line 1\n', 'ONE\n').replace('line 12', 'TWELVE')],
      ['new.txt', null, 'hello\n'],
    ],
  );
  assert.equal(run.text('a.txt'), OLD.replace('line 1\n', 'ONE\n').replace('line 12', 'TWELVE'));
});

test('the next request says what was kept, changed and rejected', async (t) => {
  const proposed = OLD.replace('line 1\n', 'ONE\n').replace('line 12', 'TWELVE');
  const run = await start(
    t,
    [
      { calls: [edit('a.txt', 1, 'ONE\n'), edit('b.txt', 1, 'B\n'), edit('c.txt', 1, 'C\n')] },
      { calls: [edit('a.txt', 12, 'TWELVE\n')] },
      { text: 'Done.' },
    ],
    () =>
      allow([
        {
          path: run.at('a.txt'),
          text: proposed.replace('ONE', 'line 1').replace('line 5', 'mine'),
        },
        { path: run.at('b.txt'), text: OLD.replace('line 1\n', 'B\n') },
      ]),
    { files: { 'a.txt': OLD, 'b.txt': OLD, 'c.txt': OLD } },
  );
  await prompt(run.host, run.sessionId);
  await untilReviewed(run);
  await prompt(run.host, run.sessionId, 'And now?');
  assert.equal(run.text('c.txt'), OLD);
  const last = run.asked.at(-1);
  const users = textsOf(last, 'user');
  assert.match(users.at(-1) ?? '', /The user reviewed the changes/);
  assert.match(users.at(-1) ?? '', /And now\?/);
  const told = String(
    JSON.parse(users.at(-1) ?? '')
      .map?.(({ text }: { text: string }) => text)
      .join('\n') ?? JSON.parse(users.at(-1) ?? ''),
  );
  assert.deepEqual(
    told
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line)),
    [
      {
        path: run.at('a.txt'),
        outcome: 'changed',
        hunks: [
          { line: 1, outcome: 'rejected', proposed_text: 'ONE\n' },
          { line: 5, outcome: 'added', approved_text: 'mine\n' },
          { line: 12, outcome: 'kept' },
        ],
      },
      { path: run.at('b.txt'), outcome: 'approved' },
      { path: run.at('c.txt'), outcome: 'rejected' },
    ],
  );
  // A reopened session sends the same bytes.
  await run.host.stop();
  const again = await start(t, [], () => allow(), {
    data: run.data,
    workspace: run.host.workspace,
    sessionId: run.sessionId,
  });
  await prompt(again.host, run.sessionId, 'Still there?');
  const { messages: before } = Object(last?.body);
  const { messages: after } = Object(again.asked[0]?.body);
  assert.deepEqual(after.slice(1, before.length), before.slice(1));
});

test('a rejected review tells the reason, and the agent reads the files again', async (t) => {
  const run = await start(
    t,
    [
      { calls: [edit('a.txt', 1, 'ONE\n')] },
      { text: 'Done.' },
      { calls: [{ tool: 'read', input: { path: 'a.txt' } }] },
    ],
    () => ({
      outcome: { outcome: 'selected', optionId: 'reject' },
      _meta: { gatehouse: { reason: 'Not like this.' } },
    }),
    { files: { 'a.txt': OLD } },
  );
  await prompt(run.host, run.sessionId);
  await untilReviewed(run);
  await prompt(run.host, run.sessionId, 'Go on.');
  assert.match(
    textsOf(run.asked.at(-1), 'user').at(-1) ?? '',
    /rejected all changes.*The reason: Not like this\./,
  );
  assert.match(textsOf(run.asked.at(-1), 'tool').at(-1) ?? '', /line 1\\/);
  assert.equal(run.text('a.txt'), OLD);
});

test('the reasons of rejected changes reach the model when nothing is approved', async (t) => {
  const run = await start(
    t,
    [{ calls: [edit('a.txt', 1, 'ONE\n')] }, { text: 'Done.' }],
    () => ({
      outcome: { outcome: 'selected', optionId: 'allow' },
      _meta: {
        gatehouse: {
          approved: [],
          reasons: [{ path: run.at('a.txt'), line: 1, reason: 'Keep it.' }],
        },
      },
    }),
    { files: { 'a.txt': OLD } },
  );
  await prompt(run.host, run.sessionId);
  await untilReviewed(run);
  await prompt(run.host, run.sessionId, 'Go on.');
  assert.match(textsOf(run.asked.at(-1), 'user').at(-1) ?? '', /a\.txt:1: Keep it\./);
});

test('a command waits for the review of what it would not see, and the outcome follows its result', async (t) => {
  const order: string[] = [];
  const run = await start(
    t,
    [
      { calls: [edit('a.txt', 1, 'ONE\n')] },
      { calls: [{ tool: 'bash', input: { command: 'cat a.txt', description: 'Show it' } }] },
      { text: 'Done.' },
    ],
    ({ toolCall }) => {
      order.push(String(toolCall.name));
      return allow();
    },
    { files: { 'a.txt': OLD } },
  );
  await prompt(run.host, run.sessionId);
  assert.deepEqual(
    order.filter((name) => name === 'review'),
    ['review'],
  );
  const last = run.asked.at(-1);
  assert.match(textsOf(last, 'tool').at(-1) ?? '', /ONE/);
  assert.match(textsOf(last, 'user').at(-1) ?? '', /The user reviewed the changes/);
  const { messages } = Object(last?.body);
  assert.equal(messages.at(-1).role, 'user');
});

test('the result of a command names the edits that its review left off the disk', async (t) => {
  let answers = 0;
  const run = await start(
    t,
    [
      { calls: [edit('a.txt', 1, 'ONE\n')] },
      { calls: [{ tool: 'bash', input: { command: 'cat a.txt', description: 'Show it' } }] },
      { text: 'Done.' },
    ],
    () => {
      answers += 1;
      // The user changes the same line while the review waits.
      if (answers === 1) writeFileSync(run.at('a.txt'), OLD.replace('line 1', 'mine'));
      return allow();
    },
    { files: { 'a.txt': OLD } },
  );
  await prompt(run.host, run.sessionId);
  const shown: string = JSON.parse(textsOf(run.asked[2], 'tool').at(-1) ?? '');
  const { data, metadata } = JSON.parse(shown);
  assert.match(data.output, /^mine\nline 2\n/);
  assert.deepEqual(metadata.not_on_disk, [run.at('a.txt')]);
});

test('an edit that a rule denies is denied, and one that a rule allows waits as well', async (t) => {
  const permissions = [
    { permission: 'edit', pattern: '{workspace}/**', action: 'allow' },
    { permission: 'edit', pattern: '{workspace}/no.txt', action: 'deny' },
  ];
  let before: string | undefined;
  const run = await start(
    t,
    [{ calls: [edit('a.txt', 1, 'ONE\n'), edit('no.txt', 1, 'NO\n')] }, { text: 'Done.' }],
    ({ toolCall }) => {
      before = run.text('a.txt');
      assert.equal(toolCall.content?.length, 1);
      return allow();
    },
    { files: { 'a.txt': OLD, 'no.txt': OLD }, settings: { permissions } },
  );
  await prompt(run.host, run.sessionId);
  const results = textsOf(run.asked[1], 'tool');
  assert.match(results[0] ?? '', /awaits_review/);
  assert.match(results[1] ?? '', /error.*no\.txt/);
  await until(() => run.text('a.txt') !== OLD, 'the review is applied');
  assert.deepEqual([before, run.text('no.txt')], [OLD, OLD]);
});

test('a deny that comes before the answer drops its file only, and the model is told', async (t) => {
  const deny = [{ permission: 'write', pattern: '{workspace}/b.txt', action: 'deny' }];
  const run = await start(
    t,
    [
      { calls: [edit('a.txt', 1, 'ONE\n'), edit('b.txt', 1, 'B\n')] },
      { calls: [{ tool: 'bash', input: { command: 'cat a.txt', description: 'Show' } }] },
      { text: 'Done.' },
    ],
    () => allow(),
    { files: { 'a.txt': OLD, 'b.txt': OLD } },
  );
  run.onRequest(2, () => run.configure({ permissions: deny }));
  await prompt(run.host, run.sessionId);
  assert.deepEqual([run.text('a.txt'), run.text('b.txt')], [OLD.replace('line 1\n', 'ONE\n'), OLD]);
  const told = textsOf(run.asked.at(-1), 'user').at(-1) ?? '';
  assert.match(told, /b\.txt was not written/);
});

test('a file that changed on disk is merged, and what conflicts is shown against it', async (t) => {
  const reviews: RequestPermissionRequest[] = [];
  const run = await start(
    t,
    [{ calls: [edit('a.txt', 1, 'ONE\n'), edit('b.txt', 1, 'B\n')] }, { text: 'Done.' }],
    (request) => {
      reviews.push(request);
      if (reviews.length > 1) return allow();
      // While the user looks at the review, the file changes: the answer must not overwrite that.
      writeFileSync(run.at('a.txt'), OLD.replace('line 12', 'user 12'));
      writeFileSync(run.at('b.txt'), OLD.replace('line 1\n', 'user 1\n'));
      return allow();
    },
    { files: { 'a.txt': OLD, 'b.txt': OLD } },
  );
  await prompt(run.host, run.sessionId);
  await until(() => reviews.length === 2, 'the second review');
  await until(() => run.text('b.txt') === OLD.replace('line 1\n', 'B\n'), 'it is applied');
  const [first, second] = reviews.map(({ _meta }) => Object(_meta?.['gatehouse']).why.reason);
  assert.doesNotMatch(first, /same lines/);
  assert.match(
    second,
    /You changed the same lines of `[^`]*b\.txt` since the agent proposed them\./,
  );
  const shown = reviews[1]?.toolCall.content?.map(
    (part) => part.type === 'diff' && [part.oldText, part.newText],
  );
  assert.deepEqual(shown, [
    [
      OLD.replace('line 12', 'user 12'),
      OLD.replace('line 1\n', 'ONE\n').replace('line 12', 'user 12'),
    ],
    [OLD.replace('line 1\n', 'user 1\n'), OLD.replace('line 1\n', 'B\n')],
  ]);
  assert.equal(run.text('a.txt'), OLD.replace('line 1\n', 'ONE\n').replace('line 12', 'user 12'));
});

test('an answer that names a file of another review is refused and changes nothing', async (t) => {
  let count = 0;
  const run = await start(
    t,
    [{ calls: [edit('a.txt', 1, 'ONE\n')] }, { text: 'Done.' }],
    () => {
      count += 1;
      if (count > 1)
        return allow([{ path: run.at('a.txt'), text: OLD.replace('line 1\n', 'ONE\n') }]);
      return allow([
        { path: run.at('a.txt'), text: 'x' },
        { path: run.at('other.txt'), text: 'x' },
      ]);
    },
    { files: { 'a.txt': OLD } },
  );
  await prompt(run.host, run.sessionId);
  await until(() => run.text('a.txt') !== OLD, 'the second answer is applied');
  assert.equal(run.text('a.txt'), OLD.replace('line 1\n', 'ONE\n'));
  assert.equal(run.text('other.txt'), undefined);
});

test('a client that shows no review is asked about every edit, and that is said once', async (t) => {
  const data = await temporary(t);
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ 'review.mode': 'turn' }));
  const titles: unknown[] = [];
  const host = await connect(t, {
    data,
    script: [
      {
        calls: [
          { tool: 'write', input: { path: 'a', content: 'a' } },
          { tool: 'write', input: { path: 'b', content: 'b' } },
        ],
      },
      { text: 'Done.' },
    ],
    client: {
      permission: ({ toolCall }) => {
        titles.push(toolCall.title);
        return allow();
      },
    },
  });
  await prompt(host, await newSession(host));
  // Both are asked about at once, in any order.
  assert.deepEqual(titles.toSorted(), ['Write a', 'Write b']);
  assert.equal(host.warnings.filter((warning) => warning.includes('review.mode')).length, 1);
});
