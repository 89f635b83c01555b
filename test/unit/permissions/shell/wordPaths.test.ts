import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPaths } from '../../../../src/permissions/shell/wordPaths.ts';

test('a word names the paths in it', () => {
  const paths = (value: string) => [...toPaths({ value, literal: true })];
  for (const value of ['https://a.example/b', 'x=https://a.example/b'])
    assert.ok(
      paths(value).every((each) => !each.startsWith('//')),
      value,
    );
  assert.ok(paths('a=b/c').includes('b/c'));
  assert.ok(paths('host:dir/x').includes('dir/x'));
  assert.ok(paths('file:///etc/hosts').includes('/etc/hosts'));
  assert.ok(paths('file://localhost/etc/hosts').includes('/etc/hosts'));
  assert.ok(paths('-fo.git/x').includes('.git/x'));
  assert.ok(paths('-Wl,-o,.git/x').includes('.git/x'));
  assert.deepEqual(paths('plain'), ['plain']);
});

test('a word names every path of a long list', () => {
  const value = `--files=${'a,'.repeat(200)}.env`;
  assert.ok(toPaths({ value, literal: true }).includes('.env'));
});
