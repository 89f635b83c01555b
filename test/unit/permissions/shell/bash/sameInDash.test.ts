import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf } from '../../ask.ts';

function check(title: string, lines: readonly string[], expected: string) {
  test(title, async () => {
    for (const line of lines) {
      const { decision, reason } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES));
      assert.equal(decision, expected, `${line}: ${reason}`);
    }
  });
}

check(
  'what sh prints differently, or times with a program, asks nothing if it does the same',
  [
    ...["sh -c 'echo -e a'", "sh -c 'echo -E a b'", "sh -c 'echo -ne a > /dev/null'"],
    ...["sh -c 'time ls'", "sh -c 'time -p ls'", "sh -c 'time ls | wc -l'"],
    ...["sh -c 'x=1 ls'", 'x=1 ls', 'name=a cat src/f', 'x=1 echo a'],
  ],
  'allow',
);

check(
  'it asks where the difference may count',
  [
    // The words `-e` and `a` may be an option and a value of what comes next.
    ...["sh -c 'echo -e a | xargs cat'", "sh -c 'cat $(echo -e a)'", "sh -c 'echo -e a' | cat"],
    ...['sh -c \'echo -e "a\\nb"\'', "sh -c 'cat `echo -e a`'"],
    // Dash looks for programs with these names.
    ...[
      "sh -c 'time cd src; cat f'",
      "sh -c 'time x=1 ls'",
      "sh -c 'time { ls; }'",
      "sh -c 'time'",
    ],
    ...["sh -c 'time ! ls'", "sh -c 'time eval ls'", "sh -c 'time . ./x'", "sh -c 'time -v ls'"],
    ...[
      'PATH=. ls',
      'x=1 PATH=. ls',
      'x=1 make',
      'x=1 git status',
      'x=$(y) ls',
      'LESSOPEN=x cat a',
    ],
    ...['http_proxy=x ls', 'x=1 sh -c ls', 'x=1 ./ls', "sh -c 'x+=1 ls'", 'x=1 find . -name a'],
  ],
  'ask',
);
