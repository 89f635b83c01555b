import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { BUILT_IN_AGENT } from '../../../../../src/agentDefinitions/builtIn.ts';
import type { StoredMessage } from '../../../../../src/base/stream/stored.ts';
import { whyMissing } from '../../../../../src/host/session/tools/missingTool.ts';
import type { Recorder } from '../../../../../src/recorder/recorder.ts';
import { createToolCatalog } from '../../../../../src/tools/toolCatalog.ts';
import type { ToolOffer, ToolSource } from '../../../../../src/tools/toolSource.ts';
import { createManualClock } from '../../../../tour/manualClock.ts';

const SESSION = { id: 'ses_a', definition: BUILT_IN_AGENT };

/** What a session knows of its tools when one source answers like this. */
async function openFound(answer: () => Promise<ToolOffer>) {
  const clock = createManualClock();
  const onDidChange = () => ({ dispose: () => undefined });
  const source: ToolSource = { id: 'mcp', onDidChange, tools: answer };
  const catalog = createToolCatalog([source], { clock });
  const asked = catalog.get({
    ...{ id: 'ses_a', agent: 'x', folders: [], trusted: true, searchHosts: [] },
    ...{ timeoutMs: 1000, schemaMs: 1000, confirmExternalActions: true },
  });
  // A source that answers does so first.
  await setImmediate();
  clock.advance(5000);
  const found = await asked;
  catalog.dispose();
  return found;
}

test('a tool may be one of a source that has not answered, also if it was here before', async () => {
  const found = await openFound(() => new Promise(() => undefined));
  const expected =
    'The tools of "mcp" are not offered. The source did not respond within 5 seconds. Its tools become available once it does.';
  assert.equal(whyMissing('mcp_x', found, SESSION), expected);
  const part = { type: 'tool-mcp_x', toolName: 'mcp_x', state: 'output-available' };
  const recorder = { messages: () => [{ parts: [part] }] as unknown as StoredMessage[] };
  assert.equal(whyMissing('mcp_x', found, SESSION, recorder as unknown as Recorder), expected);
});

test('a tool may be one of a source that failed', async () => {
  const found = await openFound(() => Promise.reject(new Error('No server.')));
  assert.equal(
    whyMissing('mcp_x', found, SESSION),
    'The tools of "mcp" are not offered. No server.',
  );
});

test('when every source has answered, a tool that was never there has no reason', async () => {
  const row = { id: 'mcp_x', file: '/w/tools.json', why: 'The user has not accepted it.' };
  const found = await openFound(async () => ({ tools: [], notOffered: [row], pending: [] }));
  assert.equal(whyMissing('mcp_y', found, SESSION), undefined);
  assert.equal(whyMissing('mcp_x', found, SESSION), row.why);
});
