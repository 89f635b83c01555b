import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTestCommand } from '../../../../src/extension/models/testCommand.ts';

test('a failing test is suggested for the commands of test runners, and for no others', () => {
  const lines = ['npm test', 'npm run test:unit', 'npx vitest run', 'pytest -q', 'go test ./...'];
  assert.deepEqual(lines.filter(isTestCommand), lines);
  const others = ['cat latest.txt', 'ls contest', 'git commit -m "attest"', 'make'];
  assert.deepEqual(others.filter(isTestCommand), []);
});
