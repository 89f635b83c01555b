import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCheck } from '../../../../src/declared/schemas/createCheck.ts';
import { validateSchemas } from '../../../../src/declared/validateSchemas.ts';
import { validate } from '../validated.ts';

/** Tools whose schemas need the schema worker. */
function tools(count: number, kind: string) {
  const schema = (at: number) => ({ type: 'object', not: { title: `${kind} ${at}` } });
  return validate({
    tools: Array.from({ length: count }, (_, at) => ({
      name: `t${at}`,
      command: ['./tools/bin/x'],
      schema: schema(at),
    })),
  });
}

test('schemas that wait for the thread are not said to take too long', async () => {
  const warm = await validateSchemas([tools(1, 'warm')], 30_000);
  assert.deepEqual(warm[0]?.diagnostics, []);
  const fits = createCheck({
    ...{ schema: { type: 'array', uniqueItems: true }, otherwise: '2020-12' },
    ...{ what: 'it', timeoutMs: 60_000 },
  });
  const busy = fits(Array.from({ length: 4000 }, (_, at) => ({ b: at })));
  const [waited] = await validateSchemas([tools(3, 'late')], 20);
  assert.deepEqual(waited?.diagnostics, []);
  assert.equal(await busy, undefined);
});

test('a validation that was aborted is not blamed on the schema', async () => {
  const fits = createCheck({
    schema: { type: 'object' },
    otherwise: '2020-12',
    what: 'the arguments of x',
    timeoutMs: 60_000,
  });
  assert.equal(
    await fits({}, AbortSignal.abort()),
    'validating the arguments of x against the schema was aborted.',
  );
});
