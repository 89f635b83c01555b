import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

function check(command: string, expected: string) {
  test(`bash * makes ${JSON.stringify(command)} ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow']);
    assert.equal(decision, expected, reason);
  });
}

// The comparisons tell the value, character by character, and `select` prints it.
for (const command of [
  '[[ $TOKEN == a* ]] && echo a',
  '[[ "$TOKEN" < b ]] && echo less',
  '[[ x == @($TOKEN|b) ]] && echo x',
  'if [[ $TOKEN =~ ^a ]]; then echo a; fi',
  '[[ -n x && ${TOKEN#a} == b ]]; echo $?',
  'until [[ $TOKEN == a* ]]; do break; done; echo $?',
  'case $TOKEN in a*) echo a;; esac',
  'case "${TOKEN:-}" in a*) echo a;; esac',
  'case abc in $TOKEN*) echo a;; esac',
  'x=$TOKEN; case $x in a*) echo a;; esac',
  'select x in "$TOKEN"; do break; done',
  'select x in $TOKEN; do break; done',
  // Nothing is left of a value that matches, or no word of it.
  '[[ -z ${TOKEN##s*} ]] && echo yes',
  '[[ ${TOKEN##s*} ]] || echo yes',
  '[[ ! ${TOKEN/s*/} ]] && echo yes',
  '[[ -n x && -z "a${TOKEN%%s*}" ]] && echo yes',
  '[[ -e /dev/${TOKEN/#sk*/null} ]] && echo yes',
  '[[ -e src/${#TOKEN} ]] && echo yes',
  '[[ -n ${TOKEN:+${TOKEN##s*}} ]] && echo yes',
  'until [[ -z ${TOKEN##s*} ]]; do echo no; break; done',
  'for x in ${TOKEN##s*}; do echo no; done',
  'for x in a ${TOKEN//[^s]/ }; do echo x; done',
])
  check(command, 'ask');
for (const command of [
  '[[ -n $TOKEN ]] && echo set',
  '[[ -n ${TOKEN:-} && -z "${TOKEN:+x}" ]] && echo set',
  '[[ -f $TOKEN/a || -d ${FOLDER:-src} ]] && echo there',
  'for x in $TOKEN "${OTHER:-a}"; do echo no; done',
  'for f in a.ts b.ts; do [[ -e ${f%.ts}.js ]] && echo both; done',
  'x=a; [[ $x == b* ]] && echo b',
  'case "$(uname)" in Linux) echo l;; esac',
  'case $OSTYPE in linux*) echo l;; esac',
  'case $? in 0) echo ok;; esac',
  '[[ "$SHELL" == */bash ]] && echo bash',
  'x=$(git rev-parse HEAD); [[ $x == a* ]]',
  'ls | while read -r x; do case $x in a) echo a;; esac; done',
  'for f in a b; do case $f in a) echo a;; esac; done',
  'select x in a b; do break; done',
])
  check(command, 'allow');
