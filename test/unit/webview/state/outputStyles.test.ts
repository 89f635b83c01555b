import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutputStyles } from '../../../../src/webview/state/outputStyles.ts';

const RED = '\u001B[31mred\u001B[0m \u001B[1';

test('what styles outputs is loaded once, for the first output with escapes', async () => {
  let loads = 0;
  const styles = createOutputStyles(async () => {
    loads += 1;
    return () => [{ text: 'red', classes: 'styled' }];
  });
  styles.request('plain', () => assert.fail('nothing to load'));
  assert.deepEqual(styles.style('plain'), [{ text: 'plain', classes: '' }]);
  assert.equal(loads, 0);

  const done: string[] = [];
  styles.request(RED, () => done.push('one'));
  const cancel = styles.request(RED, () => assert.fail('not wanted any more'));
  styles.request(RED, () => done.push('two'));
  cancel();
  assert.deepEqual(styles.style(RED), [{ text: 'red ', classes: '' }]);
  await Promise.resolve();
  assert.deepEqual(done, ['one', 'two']);
  assert.deepEqual(styles.style(RED), [{ text: 'red', classes: 'styled' }]);
  assert.equal(loads, 1);
});

test('an output stays plain if what styles it does not load', async () => {
  const styles = createOutputStyles(() => Promise.reject(new Error('no script')));
  styles.request(RED, () => assert.fail('no styles'));
  await Promise.resolve();
  assert.deepEqual(styles.style(RED), [{ text: 'red ', classes: '' }]);
});
