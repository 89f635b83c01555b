import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composerAction } from '../../../../src/webview/composer/composerKeys.ts';
import type { Key } from '../../../../src/webview/controls/key.ts';

const KEY: Key = {
  key: '',
  ...{ shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, repeat: false },
  ...{ isComposing: false, keyCode: 0 },
};

key('Enter sends', { key: 'Enter' }, 'send');
key('Shift+Enter makes a new line', { key: 'Enter', shiftKey: true }, undefined);
key('Enter of an input method is not ours', { key: 'Enter', isComposing: true }, undefined);
key('nor is it where the browser only gives its code', { key: 'Enter', keyCode: 229 }, undefined);
key('Escape of an input method is not ours', { key: 'Escape', isComposing: true }, undefined, {
  running: true,
});
key('one Escape never stops a turn', { key: 'Escape' }, 'warn', { running: true });
key('a second one does', { key: 'Escape' }, 'stop', { running: true, escaped: true });
key('a key that is held down is no second one', { key: 'Escape', repeat: true }, 'warn', {
  ...{ running: true, escaped: true },
});
key('Escape stops nothing where nothing runs', { key: 'Escape' }, undefined);
key('Enter makes a new line where Ctrl+Enter sends', { key: 'Enter' }, undefined, {
  sendKey: 'modEnter',
});
key('Ctrl+Enter sends there', { key: 'Enter', ctrlKey: true }, 'send', { sendKey: 'modEnter' });
key('Arrow up in an empty field brings the last message back', { key: 'ArrowUp' }, 'recall', {
  empty: true,
});
key('and again the one before', { key: 'ArrowUp' }, 'recall', { recalled: true });
key('Arrow down goes back to the newer one', { key: 'ArrowDown' }, 'forward', { recalled: true });
key('Arrow up of an input method is not ours', { key: 'ArrowUp', isComposing: true }, undefined, {
  empty: true,
});
key('Arrow down in an empty field does nothing', { key: 'ArrowDown' }, undefined, { empty: true });
key('Arrow up in a text moves the cursor', { key: 'ArrowUp' }, undefined);
key('other keys are left alone', { key: 'a' }, undefined);

function key(
  name: string,
  pressed: Partial<Key>,
  expected: ReturnType<typeof composerAction>,
  given: Partial<Parameters<typeof composerAction>[1]> = {},
) {
  test(name, () => {
    const where = {
      sendKey: 'enter',
      running: false,
      empty: false,
      recalled: false,
      escaped: false,
      ...given,
    } as const;
    assert.equal(composerAction({ ...KEY, ...pressed }, where), expected);
  });
}
