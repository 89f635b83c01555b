import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../../ask.ts';

/** Each line prints `.env` in bash or dash, because an assignment that it shows isn't made or stays. */
const LINES = [
  // A redirection that fails skips the group.
  'x=.env; { x=a.txt; } < missing; cat $x',
  'x=.env; { x=a.txt; } <&5; cat $x',
  'x=.env; if true; then x=a.txt; else x=a.txt; fi < missing; cat $x',
  'x=.env; { { x=a.txt; }; } < missing; cat $x',
  'CI=.env; export CI=a.txt < missing; cat $CI',
  'CI=.env; { export CI=a.txt; } < missing; cat $CI',
  'CI=.env; command export CI=a.txt < missing; cat $CI',
  // The redirection is made before the group.
  'x=.env; { x=a.txt; cat; } < $x',
  'x=.env; while cat; do x=a.txt; done < $x',
  // A launcher looks for a program with the builtin's name.
  'CI=.env; timeout 5 export CI=a.txt; cat $CI',
  'CI=.env; timeout 5 timeout 5 export CI=a.txt; cat $CI',
  // In dash an assignment before a special builtin stays.
  `sh -c 'CI=a.txt; CI=.env :; cat $CI'`,
  `sh -c 'CI=a.txt; CI=.env export DEBUG=1; cat $CI'`,
  `sh -c 'CI=a.txt; CI=.env set -e; cat $CI'`,
  `bash --posix -c 'CI=a.txt; CI=.env :; cat $CI'`,
];

for (const line of LINES) {
  test(`an assignment that may not be made doesn't hide the file: ${line}`, async () => {
    const rules = rulesOf('bash sh -c * allow', 'bash bash --posix -c * allow');
    const { decision } = await evaluate(bashCall(line), policyOf([...DEFAULT_RULES, ...rules]));
    assert.notEqual(decision, 'allow');
  });
}

test('a group whose redirection can only fail with it keeps its folder uncertain', async () => {
  const policy = policyOf([...DEFAULT_RULES, ...rulesOf('fs.read {workspace}/b/f deny')]);
  const { decision } = await evaluate(bashCall('cd b && { cd ..; } < missing || cat f'), policy);
  assert.equal(decision, 'deny');
});
