import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellUnsaved } from '../../../../src/extension/rules/savedRules.ts';
import { toGoneText } from '../../../../src/extension/text/ruleText.ts';
import { english } from '../english.ts';

const RULE = { permission: 'bash', pattern: 'npm test', action: 'allow' } as const;

for (const button of [undefined, 'Copy Rule']) {
  test(`a rule that was not saved is named, with how long it holds and the reason: ${button}`, async () => {
    const shown: string[] = [];
    const copied: string[] = [];
    const parts = {
      t: english,
      showError: async (...texts: readonly string[]) => {
        shown.push(texts.join(' | '));
        return button;
      },
      copy: async (text: string) => void copied.push(text),
    };
    const error = new Error('The file is full. Mend it.');
    await tellUnsaved(parts, { ...RULE, added_at: 7 } as typeof RULE, error);
    assert.deepEqual(shown, [
      'Your answer holds until the host of this window ends, but it was not saved: allow bash(npm test). The file is full. Mend it. | Copy Rule',
    ]);
    assert.deepEqual(copied, button === undefined ? [] : [JSON.stringify(RULE)]);
  });
}

test('a rule that is not where it was may be in the settings of a remote machine', () => {
  const check = (layer: string, remote: boolean, expected: RegExp) =>
    assert.match(toGoneText({ rule: RULE, layer }, remote, english), expected);
  check('user', true, /allow bash\(npm test\) is not in the user settings.*Open Remote Settings/);
  check('user', false, /allow bash\(npm test\) no longer exists/);
  check('workspace', true, /no longer exists/);
});
