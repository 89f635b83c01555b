import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { build } from 'esbuild';
import { parseHTML } from 'linkedom';
import { webviewStrings } from '../../../../src/extension/text/webviewStrings.ts';
import type { SessionChoice } from '../../../../src/webview/messages/chatState.ts';

const CHOICE: SessionChoice = {
  ...{ id: 'thinking', name: 'Thinking', current: undefined, values: [], on: true },
};

/** The views of the chat are written in JSX, which Node doesn't run. */
const VIEWS = `
  export { h, render } from 'preact';
  export { Choices } from './choices.tsx';
  export { Surrounding } from '../state/context.ts';
`;

const { outputFiles } = await build({
  stdin: {
    contents: VIEWS,
    resolveDir: path.resolve(import.meta.dirname, '../../../../src/webview/composer'),
  },
  ...{ bundle: true, write: false, format: 'esm', jsx: 'automatic', jsxImportSource: 'preact' },
});
const views = `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`;
const { h, render, Choices, Surrounding } = await import(views);

/** Draws the settings of a session. */
function draw(t: TestContext, activity: string, choices: readonly SessionChoice[]): Document {
  const { document } = parseHTML('<body></body>');
  Object.assign(globalThis, { document });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  // The page fills the values in.
  const value = { strings: webviewStrings((text) => text), host: {}, options: {} };
  const view = h(Choices, { state: { choices, activity } });
  render(h(Surrounding.Provider, { value }, view), document.body);
  return document;
}

test('the name of a switch contains the text that is seen, and why it cannot be changed', (t) => {
  for (const [activity, on, shown, label] of [
    ['idle', true, 'Thinking: On', 'Thinking: On'],
    ['idle', false, 'Thinking: Off', 'Thinking: Off'],
    ['starting', true, 'Thinking: On', 'Thinking: On. Available when the agent has started.'],
  ] as const) {
    const document = draw(t, activity, [{ ...CHOICE, on }]);
    const button = document.querySelector('[role=switch]') ?? assert.fail('no switch');
    assert.equal(button.textContent, shown);
    assert.equal(button.getAttribute('aria-label'), label);
    assert.equal(button.getAttribute('aria-checked'), String(on));
  }
});
