import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionModel } from '../../../../../src/host/session/turn/sessionModel.ts';

const model = createSessionModel({ setModel: () => undefined }, { id: 'ses_a', model: undefined });

test('an alias of Claude Code names a model of its provider, and elsewhere the one that is set', () => {
  const anthropic = { provider: 'anthropic', id: 'claude-opus-4-1' } as const;
  assert.equal(model.ref(anthropic, 'sonnet')?.id, 'claude-sonnet-4-6');
  assert.equal(model.ref(anthropic, 'claude-opus-4-5')?.id, 'claude-opus-4-5');
  const own = { provider: 'openai-compatible', id: 'qwen' } as const;
  assert.deepEqual(model.ref(own, 'sonnet'), own);
  assert.deepEqual(model.ref(own, 'constructor')?.id, 'constructor');
});
