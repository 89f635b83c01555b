import './main.css';
import './shared.ts';
import { h, render } from 'preact';
import { App } from './app.tsx';
import { fieldCommand } from './controls/fieldKeys.ts';
import { scriptLoaders, whenIdle } from './loadScript.ts';
import type { ChatItem } from './messages/chatState.ts';
import type { SessionKey, ToWebview } from './messages/messages.ts';
import { createColoring } from './state/coloring.ts';
import { type Host, type Kept, NOTHING_KEPT } from './state/host.ts';
import { createOutputStyles } from './state/outputStyles.ts';
import { PageEvents } from './state/pageEvents.ts';
import { watchFocus } from './state/pageFocus.ts';
import { returnFocus } from './state/returnFocus.ts';
import { Store } from './state/store.ts';
import { toCopied } from './transcript/copy.ts';

interface VsCode {
  postMessage(message: unknown): void;
  getState(): Partial<Kept> | undefined;
  setState(state: Kept): void;
}

declare const acquireVsCodeApi: () => VsCode;

const editor = acquireVsCodeApi();
const host: Host = {
  post: (message) => editor.postMessage(message),
  kept: () => ({ ...NOTHING_KEPT, ...editor.getState() }),
  keep: (kept) => {
    editor.setState(kept);
    focused.report();
  },
};
returnFocus();
const focused = watchFocus(host);
const store = new Store({
  requestAnimationFrame: (callback) => requestAnimationFrame(callback),
  cancelAnimationFrame: (handle) => cancelAnimationFrame(handle),
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (handle) => clearTimeout(handle),
});
const scripts = scriptLoaders();
const coloring = createColoring(scripts.highlighter, whenIdle);
const outputStyles = createOutputStyles(scripts.outputStyler);
// A view that mounts late still has what the user added.
const focus = new PageEvents([
  'announce',
  'attached',
  'focusComposer',
  'appendText',
  'revealAsk',
  'revealItem',
]);

window.addEventListener('message', ({ data }: MessageEvent<ToWebview>) => {
  switch (data.type) {
    case 'snapshot':
      store.snapshot({ session: data.session, state: data.state, strings: data.strings });
      break;
    case 'changes':
      store.apply(data.session, data.changes);
      break;
    case 'copyMessage': {
      const { session, id } = data;
      const items = store.shown?.session === session ? store.shown.state.items : [];
      void copyMessage(
        session,
        items.find((item) => item.id === id),
      );
      break;
    }
    case 'announce':
    // What is attached belongs to the message, whatever session is shown meanwhile.
    case 'attached':
      focus.dispatchEvent(new CustomEvent(data.type, { detail: data }));
      break;
    case 'focusComposer':
    case 'appendText':
    case 'found':
    case 'revealAsk':
    case 'revealItem':
      if (data.session !== store.shown?.session) break;
      focus.dispatchEvent(new CustomEvent(data.type, { detail: data }));
      break;
    case 'alert':
      void scripts.later().then(({ showAlert }) => showAlert(data), ignoreMissing);
      break;
    case 'shows': {
      const { sessionId: _, ...kept } = host.kept();
      host.keep({ ...kept, ...(data.sessionId !== undefined && { sessionId: data.sessionId }) });
      break;
    }
    case 'ping':
      focused.pong(data.ping);
      break;
  }
});

async function copyMessage(session: SessionKey, item: ChatItem | undefined): Promise<void> {
  const later = await scripts.later().catch(ignoreMissing);
  const text = toCopied(item, later?.toPlainText);
  if (text !== undefined) host.post({ type: 'copyText', session, text });
}

/** Without its sound an alert is still shown, and Markdown can be read. */
function ignoreMissing(): undefined {}

const mac = /mac/i.test(navigator.platform);

document.addEventListener('keydown', (event) => {
  const { target } = event;
  const field = target instanceof HTMLInputElement && target.type === 'text';
  if (!field && !(target instanceof HTMLTextAreaElement)) return;
  const command = fieldCommand(event, mac);
  if (command === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  document.execCommand(command);
});

const root = document.getElementById('root');
if (root) render(h(App, { store, host, scripts, coloring, outputStyles, focus }), root);
host.post({ type: 'ready' });
focused.report();
