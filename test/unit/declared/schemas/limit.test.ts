import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type Bed, oneTool, openBed } from '../builtEntry.ts';

/** A schema that takes more than 10 ms to compile, and less than a minute. */
const part = { anyOf: [{ type: 'string', minLength: 1 }, { not: { type: 'number' } }] };
const SLOW = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`p${at}`, part])),
};
const LATE = /compiling .* schema takes longer than 10 ms \(gatehouse\.limits\.schemaMs\)/;

function set({ data }: Bed, schemaMs: number): void {
  const settings = { 'gatehouse.limits.schemaMs': schemaMs };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
}

test("check and accept use the user's limits.schemaMs", () => {
  using bed = openBed(oneTool({ schema: SLOW }));
  set(bed, 10);
  assert.match(bed.gatehouse('check', '.').out, LATE);
  assert.match(bed.gatehouse('accept', '.').err, LATE);
  set(bed, 60_000);
  assert.doesNotMatch(bed.gatehouse('check', '.').out, /schemaMs/);
  assert.deepEqual(bed.gatehouse('accept', '.').err, '');
});
