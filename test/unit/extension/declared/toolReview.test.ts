import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PendingManifest } from '../../../../src/base/tools/toolRow.ts';
import { isManifest } from '../../../../src/extension/declared/isManifest.ts';
import { ToolReview, type ToolReviewParts } from '../../../../src/extension/declared/toolReview.ts';
import { english } from '../english.ts';

const MANIFEST: PendingManifest = {
  file: '/shop/tools.json',
  hash: 'a'.repeat(64),
  tools: [
    {
      id: 'shop_clock',
      runs: '/shop/tools/bin/clock',
      reachesAnyHost: true,
      description: 'Tells the time.',
    },
  ],
};

interface Row {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** A quick pick that is answered once it is shown. */
class FakePick {
  items: readonly Row[] = [];
  selectedItems: readonly Row[] = [];
  activeItems: readonly Row[] = [];
  placeholder = '';
  accept = () => undefined;
  hide = () => undefined;
  readonly #select: (pick: FakePick) => Promise<void>;

  constructor(select: (pick: FakePick) => Promise<void>) {
    this.#select = select;
  }

  onDidAccept(listener: () => undefined) {
    this.accept = listener;
  }

  onDidHide(listener: () => undefined) {
    this.hide = listener;
  }

  show() {
    void this.#select(this);
  }

  dispose() {
    this.items = [];
  }
}

/** A review with a user who selects the given labels in order, and a log of the effects. */
function review(
  answers: readonly (string | undefined | Promise<string | undefined>)[],
  first: readonly PendingManifest[] = [MANIFEST],
  /** What is pending once something was accepted. */
  then: readonly PendingManifest[] = [],
  /** Whether the user closes what is read, and opens nothing else. */
  goesOn = true,
) {
  const done: string[] = [];
  const asked: string[] = [];
  /** The row that has the focus at first, if it is set. */
  const active: (string | undefined)[] = [];
  const left = [...answers];
  let pending = first;
  const notify = async (text: string) => {
    done.push(`says ${text}`);
    return left.shift();
  };
  const select = async (pick: FakePick) => {
    const { items, placeholder, activeItems } = pick;
    asked.push(placeholder);
    active.push(activeItems[0]?.label);
    const shown = items.map(({ label, description, detail }) =>
      [label, description && `: ${description}`, detail && ` (${detail})`].join(''),
    );
    done.push(`offers ${shown.join(' | ')}`);
    const label = await left.shift();
    pick.selectedItems = items.filter((item) => item.label === label);
    if (pick.selectedItems.length > 0) pick.accept();
    else pick.hide();
  };
  const window = {
    showInformationMessage: notify,
    createQuickPick: () => new FakePick(select),
  } as unknown as ToolReviewParts['window'];
  const waiting = new ToolReview({
    ...{ window, notify },
    t: english,
    pending: async () => pending,
    accept: async ({ hash }) => {
      done.push(`accepts ${hash.slice(0, 1)}`);
      pending = [...pending.filter((each) => each.hash !== hash), ...then];
    },
    open: async ({ file }) => void done.push(`opens ${file}`),
    read: async (title, text) => {
      done.push(`shows ${title}: ${text}`);
      return goesOn;
    },
    changes: ({ hash }) =>
      hash.startsWith('b') ? async () => void done.push('shows changes') : undefined,
  });
  return {
    ...{ waiting, done, asked, active },
    set: (next: readonly PendingManifest[]) => {
      pending = next;
    },
  };
}

const SAYS =
  "says This workspace declares tools that can run programs (1): shop_clock. The agent can't use them until you accept them.";
const OFFERS =
  'offers shop_clock: Tells the time. (runs /shop/tools/bin/clock · may reach any host) | Accept (Valid until the file or one of its programs changes.) | Open File';

test('pending tools are announced, reviewed with what they run, and accepted', async () => {
  const { waiting, done } = review(['Review…', 'Accept']);
  await waiting.announce();
  assert.deepEqual(done, [SAYS, OFFERS, 'accepts a']);
});

test('what a manifest would hide is visible in all that is reviewed', async () => {
  const hidden = 'a\u001b[2K\u202eb\n\u2066c';
  const tools = [{ id: hidden, runs: hidden, reachesAnyHost: true, description: hidden }];
  const { waiting, done } = review(['Review…', undefined], [{ ...MANIFEST, file: hidden, tools }]);
  await waiting.announce();
  assert.equal(done.length, 2);
  assert.doesNotMatch(done.join(''), /[\p{Cc}\p{Cf}]/u);
});

test('a tool that sends a request reaches no other host than the one that is shown', async () => {
  const runs = 'GET https://api.example/time';
  const tools = [{ id: 'time', runs, reachesAnyHost: false, description: '' }];
  const { waiting, done } = review(['Review…', undefined], [{ ...MANIFEST, tools }]);
  await waiting.announce();
  assert.match(done[1] ?? '', /^offers time \(sends GET https:\/\/api\.example\/time\) \|/);
});

test('not now holds until the manifest changes', async () => {
  const { waiting, done, set } = review(['Not Now', 'Not Now']);
  await waiting.announce();
  await waiting.announce();
  assert.deepEqual(done, [SAYS]);
  set([{ ...MANIFEST, hash: 'b'.repeat(64) }]);
  await waiting.announce();
  assert.deepEqual(done, [SAYS, SAYS]);
});

test('a manifest that appears while a notice is still open is announced too', async () => {
  const first = Promise.withResolvers<string | undefined>();
  const { waiting, done, set } = review([first.promise, 'Review…', 'Accept', 'Accept']);
  const unanswered = waiting.announce();
  await waiting.announce();
  const other = {
    ...MANIFEST,
    file: '/shop/new/tools.json',
    hash: 'c'.repeat(64),
    tools: [{ id: 'new_clock', runs: '/shop/new/clock', reachesAnyHost: true, description: '' }],
  };
  set([MANIFEST, other]);
  await waiting.announce();
  assert.deepEqual(done.slice(0, 2), [SAYS, SAYS.replace('shop_clock', 'new_clock')]);
  assert.deepEqual(
    done.filter((each) => each.startsWith('accepts')),
    ['accepts a', 'accepts c'],
  );
  first.resolve('Review…');
  await unanswered;
  assert.equal(done.at(-1), 'says No workspace tools to review.');
});

test('what an accepted MCP server offers is reviewed next, with the descriptions that the model gets', async () => {
  const tool = { id: 'mcp:files:read', runs: 'files: read', reachesAnyHost: true };
  const [server, tools] = ['d', 'e'].map((letter) => ({
    ...{ file: '/shop/.mcp.json', hash: letter.repeat(64), server: 'files' },
    tools: [{ ...tool, description: letter === 'd' ? '' : 'Reads a **file**.\nThen `sends` it.' }],
  }));
  const answers = ['Review…', 'Accept', undefined];
  const { waiting, done } = review(answers, [server ?? MANIFEST], [tools ?? MANIFEST]);
  await waiting.announce();
  assert.match(done[1] ?? '', /^offers mcp:files:read \(runs/);
  assert.equal(done[2], 'accepts d');
  assert.match(done[3] ?? '', /^offers mcp:files:read: Reads a file\.⏎Then sends it\. \(runs/);
  await waiting.announce();
  assert.equal(done.length, 4, 'what was reviewed is not announced');
});

test('issue 18: choosing a tool of an MCP server shows all of its description and schema, and the review goes on', async () => {
  const tool = { id: 'files_read', runs: 'files: read', reachesAnyHost: true };
  const description = `Reads a file.\n${'x'.repeat(5000)}\nIts\u200b end.`;
  const parameters = { type: 'object', properties: { path: { description: 'The \u202efile.' } } };
  const manifest = { ...MANIFEST, server: 'files', tools: [{ ...tool, description, parameters }] };
  const { waiting, done } = review(['files_read', 'Accept'], [manifest]);
  await waiting.review();
  assert.equal(done[1], `shows files_read: ${SHOWN}`);
  assert.deepEqual([done[2], done[3]], [done[0], 'accepts a']);
});

const SHOWN = `Close this document to go on with the review.

files_read
runs files: read · may reach any host

Description

Reads a file.
${'x'.repeat(5000)}
Its␣U+200B end.

Arguments

{
  "type": "object",
  "properties": {
    "path": {
      "description": "The ␣U+202Efile."
    }
  }
}
`;

test('issue 15: what an MCP server runs, which a row cuts, can be read in whole before it is accepted', async () => {
  const runs = `node ${'/long'.repeat(60)}/files.js`;
  const tools = [{ id: 'files', runs, reachesAnyHost: true, description: '' }];
  const manifest = { ...MANIFEST, file: '/shop/.mcp.json', server: 'files', tools };
  const { waiting, done, asked } = review(['files', 'Accept'], [manifest]);
  await waiting.review();
  const close = 'Close this document to go on with the review.';
  assert.equal(done[1], `shows files: ${close}\n\nfiles\nruns ${runs} · may reach any host\n`);
  assert.deepEqual([done[2], done[3]], [done[0], 'accepts a']);
  assert.deepEqual(asked, ['Accept this server?', 'Accept this server?']);
});

test('issue 15: a review goes on at the tool whose document was closed', async () => {
  const tools = ['one', 'two', 'three'].map((id) => ({
    ...{ id, runs: 'node', reachesAnyHost: true, description: 'Reads.' },
  }));
  const manifest = { ...MANIFEST, server: 'files', tools };
  const { waiting, active } = review(['two', 'three', 'Accept'], [manifest]);
  await waiting.review();
  assert.deepEqual(active, [undefined, 'two', 'three']);
});

test('issue 15: a review does not come back over what the user opened instead of the document', async () => {
  const tools = [{ id: 'files', runs: 'node', reachesAnyHost: true, description: 'Reads.' }];
  const manifest = { ...MANIFEST, server: 'files', tools };
  const { waiting, done, asked } = review(['files', 'Accept'], [manifest], [], false);
  await waiting.review();
  assert.deepEqual([done.length, asked], [2, ['Accept these tools?']]);
});

for (const [hosts, reachesAnyHost, words] of [
  [
    ['a.example', '*.b.example'],
    true,
    'runs x · may reach a.example, *.b.example in the sandbox, any host outside of it',
  ],
  [[], true, 'runs x · may reach no host in the sandbox, any host outside of it'],
  [['*'], true, 'runs x · may reach any host'],
  [['mcp.example'], false, 'sends x · to mcp.example'],
] as const) {
  test(`issue 18: the review of an MCP server says which hosts it reaches: ${words}`, async () => {
    const tools = [{ id: 'srv', runs: 'x', reachesAnyHost, hosts, description: '' }];
    const { waiting, done } = review([undefined], [{ ...MANIFEST, server: 'srv', tools }]);
    await waiting.review();
    assert.ok(done[0]?.includes(`(${words})`), done[0]);
  });
}

test('dismissing accepts nothing', async () => {
  const { waiting, done } = review(['Review…', undefined]);
  await waiting.announce();
  assert.deepEqual(done, [SAYS, OFFERS]);
});

test('choosing a tool opens the file, never accepts it', async () => {
  const { waiting, done } = review(['shop_clock']);
  await waiting.review();
  assert.deepEqual(done.slice(1), ['opens /shop/tools.json']);
});

test('a changed manifest shows what changed', async () => {
  const { waiting, done } = review(['Show Changes'], [{ ...MANIFEST, hash: 'b'.repeat(64) }]);
  await waiting.review();
  assert.deepEqual(done.slice(1), ['shows changes']);
});

test('the command reports that nothing is pending', async () => {
  const { waiting, done } = review([], []);
  await waiting.announce();
  await waiting.review();
  assert.deepEqual(done, ['says No workspace tools to review.']);
});

test('a manifest is known by its name or its resource', () => {
  assert.equal(
    isManifest('/a/tools.json', () => ''),
    true,
  );
  assert.equal(
    isManifest('/a/mytools.json', () => ''),
    false,
  );
  assert.equal(
    isManifest('/a/x.yaml', () => '# mine\nresource: tool\n'),
    true,
  );
  assert.equal(
    isManifest('/a/x.yaml', () => 'kind: Pod\n'),
    false,
  );
});
