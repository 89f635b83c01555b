import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  findLast,
  keepScreen,
  noteSeen,
  pageHtml,
} from '../../../../../src/extension/views/page/pageHtml.ts';
import { screenHtml } from '../../../../../src/extension/views/page/screenHtml.ts';
import { ScreenStore } from '../../../../../src/extension/views/page/screenStore.ts';
import { parseMessage } from '../../../../../src/extension/views/parseMessage.ts';
import {
  MOST_SCREEN_CHARACTERS,
  MOST_SCREEN_NODES,
  parseScreen,
  type ScreenNode,
} from '../../../../../src/webview/messages/screen.ts';

const NODES: readonly ScreenNode[] = [
  { tag: 'div', attributes: { class: 'chat' }, children: ['The end.'] },
];

function open(t: TestContext, version = '1.0.0') {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-screens-'));
  const logged: string[] = [];
  const again = (other = version) =>
    new ScreenStore(folder, other, (message) => logged.push(message));
  const store = again();
  t.after(async () => {
    await store.settled();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const screens = path.join(folder, 'screens');
  const list = () => (existsSync(screens) ? readdirSync(screens) : []);
  const file = () => path.join(screens, list()[0] ?? '');
  return { folder, screens, store, again, logged, list, file };
}

test('a screen is kept for the next window, in a file that only the user can read', async (t) => {
  const { store, again, list, file } = open(t);
  await store.keep('s-1', NODES);
  assert.deepEqual(again().read('s-1'), NODES);
  assert.deepEqual(again().read('s-2'), undefined);
  assert.equal(statSync(file()).mode & 0o777, 0o600);
  assert.equal(statSync(path.dirname(file())).mode & 0o777, 0o700);
  await store.keep('s-1', undefined);
  assert.deepEqual(list(), []);
});

test('a deleted session leaves no screen, also when something else deleted it', async (t) => {
  const { store, screens, list } = open(t);
  await store.keep('s-1', NODES);
  await store.keep('s-2', NODES);
  await store.keep('s-3', NODES);
  writeFileSync(`${path.join(screens, 'unfinished.json')}.new`, '{');
  await store.remove('s-1');
  assert.equal(store.read('s-1'), undefined);
  await store.sweep(async () => new Set(['s-3']));
  assert.deepEqual([store.read('s-2'), store.read('s-3')], [undefined, NODES]);
  assert.equal(list().length, 1);
});

test('a sweep lists the sessions once for all screens, and not at all without one', async (t) => {
  const { store, list } = open(t);
  let listed = 0;
  const sweep = (ids: readonly string[]) =>
    store.sweep(async () => {
      listed += 1;
      return new Set(ids);
    });
  await sweep([]);
  assert.equal(listed, 0);
  for (const id of ['s-1', 's-2', 's-3']) await store.keep(id, NODES);
  await sweep(['s-1', 's-2', 's-3', 's-4']);
  assert.deepEqual([listed, list().length], [1, 3]);
});

test('a sweep keeps every screen if the sessions cannot be listed', async (t) => {
  const { store, list, logged } = open(t);
  await store.keep('s-1', NODES);
  await store.sweep(() => Promise.reject(new Error('The host has exited.')));
  assert.equal(list().length, 1);
  assert.match(logged.join(), /The host has exited\./);
});

test('the screens of eight sessions are kept, those that were shown last', async (t) => {
  const { store, screens, list } = open(t);
  for (let at = 0; at < 8; at += 1) {
    await store.keep(`s-${at}`, NODES);
    for (const name of list()) {
      const file = path.join(screens, name);
      if (readFileSync(file, 'utf8').includes(`"s-${at}"`)) utimesSync(file, at, at);
    }
  }
  await store.keep('s-8', NODES);
  const kept = Array.from({ length: 9 }, (_, at) => store.read(`s-${at}`) !== undefined);
  assert.deepEqual(kept, [false, ...Array.from({ length: 8 }, () => true)]);
});

test('another version of the extension does not show the screen: its style may differ', async (t) => {
  const { store, again, file } = open(t);
  await store.keep('s-1', NODES);
  assert.equal(again('1.0.1').read('s-1'), undefined);
  const { version: _, ...without } = JSON.parse(readFileSync(file(), 'utf8'));
  writeFileSync(file(), JSON.stringify(without));
  assert.equal(again().read('s-1'), undefined);
});

test('a file that was changed, moved, cut off or replaced by a link shows nothing', async (t) => {
  const { store, again, file, folder } = open(t);
  await store.keep('s-1', NODES);
  const text = readFileSync(file(), 'utf8');
  const name = file();
  const read = (changed: string) => {
    writeFileSync(name, changed);
    return again().read('s-1');
  };
  assert.deepEqual(read(text), NODES);
  assert.equal(read(text.slice(0, -2)), undefined, 'cut off');
  assert.equal(read(''), undefined);
  assert.equal(read('[]'), undefined);
  assert.equal(read(text.replace('s-1', 's-2')), undefined, 'of another session');
  assert.equal(read(text.replace('"div"', '"script"')), undefined);
  assert.equal(read(text.replace('"class"', '"onclick"')), undefined);
  assert.equal(read(text + ' '.repeat(2_000_000)), undefined, 'too large');
  rmSync(name);
  writeFileSync(path.join(folder, 'elsewhere.json'), text);
  symlinkSync(path.join(folder, 'elsewhere.json'), name);
  assert.equal(again().read('s-1'), undefined, 'a link');
  rmSync(name);
  mkdirSync(name);
  assert.equal(again().read('s-1'), undefined, 'a folder');
});

test('a screen that cannot be kept is told in the log, and what follows goes on', async (t) => {
  const { folder, store, logged } = open(t);
  writeFileSync(path.join(folder, 'screens'), 'in the way');
  await store.keep('s-1', NODES);
  assert.match(logged.join(), /Could not keep or remove the last screen of a session: /);
  rmSync(path.join(folder, 'screens'));
  await store.keep('s-1', NODES);
  assert.deepEqual(store.read('s-1'), NODES);
});

/** Each would do something in a page, if it came into its HTML. */
const HOSTILE: readonly unknown[] = [
  { tag: 'script', attributes: {}, children: ['alert(1)'] },
  { tag: 'style', attributes: {}, children: ['* { display: none }'] },
  { tag: 'iframe', attributes: { src: 'https://evil.test' }, children: [] },
  { tag: 'img', attributes: { src: 'x', onerror: 'alert(1)' }, children: [] },
  { tag: 'svg', attributes: {}, children: [] },
  { tag: 'template', attributes: {}, children: [] },
  { tag: 'button', attributes: {}, children: ['Allow'] },
  { tag: 'input', attributes: {}, children: [] },
  { tag: 'textarea', attributes: {}, children: ['</textarea>'] },
  { tag: 'form', attributes: {}, children: [] },
  { tag: 'DIV', attributes: {}, children: [] },
  { tag: 'div onclick=x', attributes: {}, children: [] },
  { tag: 'a', attributes: { href: 'command:evil' }, children: ['x'] },
  { tag: 'div', attributes: { onclick: 'alert(1)' }, children: [] },
  { tag: 'div', attributes: { style: 'background: url(x)' }, children: [] },
  { tag: 'div', attributes: { id: 'root' }, children: [] },
  { tag: 'div', attributes: { 'data-folder': 'https://evil.test/' }, children: [] },
  { tag: 'div', attributes: { 'data-vscode-context': '{}' }, children: [] },
  { tag: 'div', attributes: { tabindex: '0' }, children: [] },
  { tag: 'div', attributes: { class: 'a" onclick="alert(1)' }, children: [] },
  { tag: 'div', attributes: { 'data-height': '1px;x' }, children: [] },
  { tag: 'div', attributes: { 'data-height': '99999999' }, children: [] },
  { tag: 'div', attributes: { role: 'button' }, children: [] },
  { tag: 'div', attributes: { __proto__: null, constructor: 'x' }, children: [] },
  { tag: 'div', attributes: { class: ['chat'] }, children: [] },
  { tag: 'div', attributes: [], children: [] },
  { tag: 'div', attributes: {}, children: 'text' },
  { tag: 'div', attributes: {}, children: [], html: '<b>' },
  { tag: 'div', attributes: {} },
  { attributes: {}, children: [] },
  7,
  null,
];

test('nothing is taken from a screen that names what is not listed, however deep', () => {
  for (const node of HOSTILE) {
    assert.equal(parseScreen([node]), undefined, JSON.stringify(node));
    const inner = { tag: 'div', attributes: {}, children: ['text', node] };
    assert.equal(parseScreen([inner]), undefined, JSON.stringify(inner));
  }
  assert.equal(parseScreen({ length: 1, 0: 'x' }), undefined);
  assert.equal(parseScreen(undefined), undefined);
});

test('a screen has a most of nodes, characters and levels', () => {
  const texts = (count: number, text: string) => Array.from({ length: count }, () => text);
  assert.ok(parseScreen(texts(MOST_SCREEN_NODES, '')));
  assert.equal(parseScreen(texts(MOST_SCREEN_NODES + 1, '')), undefined);
  assert.ok(parseScreen(['x'.repeat(MOST_SCREEN_CHARACTERS)]));
  assert.equal(parseScreen(['x'.repeat(MOST_SCREEN_CHARACTERS), 'x']), undefined);
  let deep: ScreenNode = 'x';
  for (let level = 0; level < 50_000; level += 1) {
    deep = { tag: 'div', attributes: {}, children: [deep] };
  }
  assert.equal(parseScreen([deep]), undefined);
});

test('texts of a screen stay texts in the HTML of the page', () => {
  const text = `</div></pre><script>alert('1')</script><!-- & "quoted" \0`;
  const html = screenHtml([
    { tag: 'pre', attributes: { class: 'output' }, children: ['\nfirst', text] },
    { tag: 'br', attributes: {}, children: ['not shown'] },
  ]);
  assert.equal(
    html,
    '<pre class="output">\n\nfirst&#60;/div&#62;&#60;/pre&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#60;!-- &#38; &#34;quoted&#34; \ufffd</pre><br>',
  );
});

const PAGE = {
  ...{ cspSource: "'self'", folder: 'https://x.test', language: 'en', inEditor: false },
  files: () => ({ script: 'run()', style: 'p {}', lastScreen: 'hand()' }),
};

test('a page with a last screen runs only its hand-over at first, and its own script is text', () => {
  const html = pageHtml(PAGE, { session: 'chat-1"', nodes: NODES });
  const kept =
    '<div class="kept" aria-hidden="true" data-session="chat-1&#34;"><div inert><div class="chat">The end.</div></div></div>';
  assert.ok(html.includes(`${kept}\n<div id="root">`), html);
  assert.match(
    html,
    /<script type="text\/plain" nonce="[^"]+" data-folder="[^"]*">run\(\)<\/script>/,
  );
  assert.match(html, /<script nonce="[^"]+">hand\(\)<\/script>/);
  const plain = pageHtml(PAGE, undefined);
  assert.doesNotMatch(plain, /kept|hand\(\)|text\/plain/);
});

test('only a session that no page of the window has shown has a last screen, and only a loaded one is kept', () => {
  const read = () => NODES;
  const session = { id: 's-1', key: 'one', stale: true };
  assert.deepEqual(findLast({ read }, session), { session: 'one', nodes: NODES });
  assert.equal(findLast({ read }, { ...session, id: undefined }), undefined);
  assert.equal(findLast({ read: () => undefined }, session), undefined);
  noteSeen(session);
  assert.equal(findLast({ read }, session), undefined);

  const kept: unknown[] = [];
  const keep = async (...args: unknown[]) => void kept.push(args);
  const message = { type: 'screen', session: 'one', nodes: NODES } as const;
  keepScreen({ keep }, session, message);
  keepScreen({ keep }, { ...session, stale: false, id: undefined }, message);
  keepScreen({ keep }, { ...session, stale: false, key: 'two' }, message);
  assert.deepEqual(kept, []);
  keepScreen({ keep }, { ...session, stale: false }, message);
  assert.deepEqual(kept, [['s-1', NODES]]);
});

test('a page can hand on nothing but a listed screen, and takes its last one away otherwise', () => {
  const message = { type: 'screen', session: 'one' };
  assert.deepEqual(parseMessage({ ...message, nodes: NODES }), { ...message, nodes: NODES });
  assert.deepEqual(parseMessage(message), message);
  assert.deepEqual(parseMessage({ ...message, nodes: [HOSTILE[0]] }), message);
  assert.equal(parseMessage({ type: 'screen', nodes: NODES }), undefined);
});
