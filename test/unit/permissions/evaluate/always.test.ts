import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadOrdinaryLines } from '../../../../bench/promptRates.ts';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { PartOffer, StoredRule } from '../../../../src/permissions/rules/policy.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../ask.ts';

const ROOT = plantWorkspace(['package.json', 'README.md', 'a.txt', 'src/a.ts', 'logs/dev.log']);
const FOLDERS = { workspace: [ROOT], adHoc: [], cwd: ROOT };

async function ask(line: string, own: readonly StoredRule[] = []) {
  const added = own.map((rule): Rule => ({ ...rule, source: 'session' }));
  const policy = policyOf([...DEFAULT_RULES, ...added], { folders: FOLDERS });
  return evaluate(bashCall(line), policy);
}

const ANSWERS: Readonly<Record<string, (part: PartOffer) => StoredRule | undefined>> = {
  narrowest: ({ patterns }) => patterns[0]?.rule,
  widest: ({ patterns }) => patterns.at(-1)?.rule,
  session: ({ session }) => session?.rule,
};

test('an ordinary line never asks again after "Always", whatever is chosen for its parts', async () => {
  const again: string[] = [];
  let offered = 0;
  for (const { text } of loadOrdinaryLines()) {
    const line = text.replaceAll('{workspace}', ROOT);
    const { decision, offers } = await ask(line);
    const parts = decision === 'ask' ? offers().allow : [];
    // Without an offer, the request has no such answer.
    if (parts.length === 0) continue;
    offered += 1;
    for (const [name, choose] of Object.entries(ANSWERS)) {
      const rules = parts.flatMap((part) => choose(part) ?? []);
      if ((await ask(line, rules)).decision !== 'allow') again.push(`${name}: ${line}`);
    }
  }
  assert.deepEqual(again, []);
  assert.ok(offered >= 120, `${offered} lines have an offer`);
});

test('each part of a pipeline that asks has an offer of its own', async () => {
  const offersOf = async (line: string) =>
    (await ask(line)).offers().allow.map(({ target }) => target);
  assert.deepEqual(await offersOf('npm test 2>&1 | tail -20'), ['npm test']);
  assert.deepEqual(await offersOf('npm test 2>&1 | ./report -20 | tee out.txt'), [
    'npm test',
    './report -20',
    'tee out.txt',
  ]);
  assert.deepEqual(await offersOf('npm test | ./report > out.txt && make'), [
    'npm test',
    'out.txt',
    './report',
    'make',
  ]);
});
