import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionModel } from '../../../../../src/host/session/turn/sessionModel.ts';

const model = createSessionModel({ setModel: () => undefined }, { id: 'ses_a', model: undefined });

test('an alias of Claude Code names a model of its provider, and elsewhere the one that is set', () => {
  const anthropic = { provider: 'anthropic', id: 'claude-opus-4-1', small: '' } as const;
  assert.equal(model.ref(anthropic, { model: 'sonnet' })?.id, 'claude-sonnet-4-6');
  assert.equal(model.ref(anthropic, { model: 'claude-opus-4-5' })?.id, 'claude-opus-4-5');
  const own = { provider: 'openai-compatible', id: 'qwen', small: '' } as const;
  assert.deepEqual(model.ref(own, { model: 'sonnet' }), {
    provider: 'openai-compatible',
    id: 'qwen',
  });
  assert.deepEqual(model.ref(own, { model: 'constructor' })?.id, 'constructor');
});

test('CS-33: an agent that only writes uses the small model if one is set, unless its file names one', () => {
  const settings = { provider: 'openai', id: 'gpt-5.5', small: 'ollama:qwen3:4b' } as const;
  const ids = [{ small: true }, { small: true, model: 'gpt-5' }, {}].map(
    (agent) => model.ref(settings, agent as { small?: true; model?: string })?.id,
  );
  assert.deepEqual(ids, ['qwen3:4b', 'gpt-5', 'gpt-5.5']);
  assert.equal(model.ref({ ...settings, small: '' }, { small: true })?.id, 'gpt-5.5');
});
