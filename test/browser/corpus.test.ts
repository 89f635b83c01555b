import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ROOT } from '../workbench/paths.ts';
import { until } from '../workbench/processes.ts';
import { openScene, type Scene } from './scene.ts';

interface Case {
  readonly id: string;
  readonly area: string;
  readonly source: string;
  readonly input: {
    readonly markdown?: string;
    readonly stream?: readonly string[];
    readonly permission_prompt?: string;
  };
}

const CORPUS: { readonly cases: readonly Case[] } = JSON.parse(
  readFileSync(path.join(ROOT, 'test/fixtures/adversarial.json'), 'utf8'),
);
const CASES = CORPUS.cases.filter(
  ({ area, input }) => area === 'webview' && (input.markdown ?? input.stream) !== undefined,
);

/** Characters that change what is read without being seen. */
const HIDDEN = /[\u200B-\u200F\u202A-\u202E\u2060-\u2069]|[\u{E0000}-\u{E007F}]/u;

/** What a message may consist of; whatever else a model writes stands there as text. */
const ELEMENTS = new Set(
  'A ARTICLE B BLOCKQUOTE BR BUTTON CODE DEL DIV EM FIGCAPTION FIGURE H1 H2 H3 H4 H5 H6 HR I LI OL P PRE S SPAN STRONG SUB SUP TABLE TBODY TD TH THEAD TR UL'.split(
    ' ',
  ),
);

/** What the chat's frames asked of anyone but their own server, and dialogs they opened. */
const requests: string[] = [];
const dialogs: string[] = [];
const watched = new WeakSet<Page>();
/** Every host that a case names. */
const NAMED = [...new Set(JSON.stringify(CASES).match(/(?<=\/\/)[\w.-]+\.[a-z]+/g))];

test('the corpus is there', () => {
  assert.ok(CASES.length >= 19, `${CASES.length} cases`);
});

for (const { id, source, input } of CASES) {
  test(`${id} ${source} is only text`, async (t) => {
    const scene = await openScene(t);
    const { chat, model } = scene;
    watch(scene);
    const text = input.markdown ?? (input.stream ?? []).join('');
    const chunk = input.stream?.[0]?.length ?? 7;
    model.script({ text: `${text}\n\nend of ${id}`, chunkSize: chunk });
    await chat.send(`show ${id}`);
    // A case may leave a block open that swallows the end, so the end of the turn is waited for.
    await until('the answer', () => model.requests[0]?.endedAt !== undefined);
    await chat.items('agent').first().waitFor();
    await chat.idle();
    const found = await inspect(scene);
    assert.deepEqual({ ...found, requests, dialogs }, { faults: [], requests: [], dialogs: [] });
    assert.equal(await chat.composer.count(), 1, 'the chat is still there');
  });
}

test('WE-024 a link shows where it leads', async (t) => {
  const { chat, model } = await openScene(t);
  model.script({ text: '[https://good.example](https://evil.example/?d=SECRET)' });
  await chat.send('show a link');
  const link = chat.items('agent').getByRole('link');
  await link.waitFor();
  assert.match((await link.getAttribute('title')) ?? '', /^https:\/\/evil\.example\//);
});

for (const { id, source, input } of CORPUS.cases) {
  const command = input.permission_prompt;
  if (command === undefined) continue;
  test(`${id} ${source} cannot hide in a prompt`, async (t) => {
    const { workbench, chat, model } = await openScene(t);
    model.script({ calls: [{ tool: 'bash', input: { command } }] });
    await chat.send('run it');
    await chat.permission().waitFor();
    const shown = await chat.permission().innerText();
    // However long it is, its tail is there; and nothing in it is drawn as nothing.
    assert.ok(!command.includes('curl evil.example') || shown.includes('curl evil.example'), shown);
    assert.doesNotMatch(shown, HIDDEN);
    await workbench.screenshot(`prompt-${id}`);
    await chat.stop();
  });
}

test('WE-035 the page loads nothing but its own', async (t) => {
  const { chat } = await openScene(t);
  const policy = await chat.frame
    .locator('meta[http-equiv="Content-Security-Policy"]')
    .first()
    .getAttribute('content');
  assert.ok(policy);
  const directives = new Map(
    policy.split(';').map((directive) => {
      const [name = '', ...values] = directive.trim().split(/\s+/);
      return [name, values];
    }),
  );
  assert.deepEqual(directives.get('default-src'), ["'none'"]);
  assert.deepEqual(directives.get('connect-src'), ["'none'"]);
  assert.match(String(directives.get('script-src')), /^'nonce-[\w-]{16,}'$/);
  assert.deepEqual(directives.get('style-src'), directives.get('script-src'));
  assert.doesNotMatch(policy, /unsafe-(?:eval|inline)|\bhttps:(?:\s|;|$)|\*(?:\s|;|$)/);
});

function watch({ workbench: { page }, server }: Scene): void {
  if (watched.has(page)) return;
  watched.add(page);
  page.on('request', (request) => {
    const url = new URL(request.url());
    // What the editor asks for by itself, and when, is not for this test to say; unless a message made it.
    const editors = request.isNavigationRequest() ? false : request.frame() === page.mainFrame();
    if (editors && !NAMED.some((host) => url.hostname.endsWith(host))) return;
    // Files of the extension come from a name of the editor's own that never leaves the browser.
    const inside = url.host.endsWith('.vscode-resource.vscode-cdn.net');
    const own = url.host === new URL(server.url).host || /^(?:data|blob):$/.test(url.protocol);
    if (!own && !inside) requests.push(request.url());
  });
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
}

/** Elements and attributes that no message may bring into the page. */
async function inspect({ chat }: Scene): Promise<{ readonly faults: readonly string[] }> {
  const seen = await chat.items('agent').evaluateAll((articles) =>
    articles.flatMap((article) =>
      [...article.querySelectorAll('*')].map((element) => ({
        name: element.tagName,
        attributes: element
          .getAttributeNames()
          .map((name) => `${name}=${element.getAttribute(name)}`),
        own: element.closest('.codicon, svg, button') !== null,
      })),
    ),
  );
  const faults = seen.flatMap(({ name, attributes, own }) => [
    ...(ELEMENTS.has(name.toUpperCase()) || own ? [] : [`<${name}>`]),
    ...attributes.filter((attribute) => isDangerous(attribute)).map((each) => `<${name} ${each}>`),
  ]);
  return { faults };
}

function isDangerous(attribute: string): boolean {
  if (/^(?:on\w+|style|srcset|poster|srcdoc|action|formaction|ping|background)=/i.test(attribute))
    return true;
  if (/^id=approve/i.test(attribute)) return true;
  const [, target] = /^(?:href|src|xlink:href)=(.*)$/is.exec(attribute) ?? [];
  return target !== undefined && !/^(?:https?:|mailto:|#)/i.test(target.trim());
}
