import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offerSandbox, wantsSandboxOffer } from '../../../../src/extension/setup/sandboxOffer.ts';
import { english } from '../english.ts';

interface Given {
  readonly autoRun?: unknown;
  readonly answer?: string;
  readonly fails?: boolean;
}

function setUp({ autoRun, answer, fails = false }: Given = {}) {
  const stored = new Map<string, unknown>();
  const shown: string[][] = [];
  const errors: unknown[] = [];
  const turnedOn: true[] = [];
  const parts = {
    memory: {
      get: (key: string) => stored.get(key),
      update: async (key: string, value: unknown) => void stored.set(key, value),
    },
    autoRun: () => autoRun,
    async turnOn() {
      if (fails) throw new Error('The settings file is read-only.');
      turnedOn.push(true);
    },
    async notify(...words: string[]) {
      shown.push(words);
      return answer;
    },
    onError: (error: unknown) => void errors.push(error),
    t: english,
  };
  return { parts, shown, errors, turnedOn };
}

test('the copy is offered once, and closing the notice changes no setting', async () => {
  const { parts, shown, turnedOn } = setUp();
  assert.equal(wantsSandboxOffer(parts), true);
  await Promise.all([offerSandbox(parts), offerSandbox(parts)]);
  await offerSandbox(parts);
  assert.deepEqual(
    shown.map(([, ...buttons]) => buttons),
    [['Turn On', 'Not Now']],
  );
  assert.deepEqual([wantsSandboxOffer(parts), turnedOn], [false, []]);
});

test('Turn On turns it on, and Not Now does not', async () => {
  for (const [answer, expected] of [
    ['Turn On', [true]],
    ['Not Now', []],
  ] as const) {
    const { parts, turnedOn } = setUp({ answer });
    await offerSandbox(parts);
    assert.deepEqual(turnedOn, expected, answer);
  }
});

for (const autoRun of [true, false]) {
  test(`a user who has set it to ${autoRun} is not offered it`, async () => {
    const { parts, shown } = setUp({ autoRun });
    assert.equal(wantsSandboxOffer(parts), false);
    await offerSandbox(parts);
    assert.deepEqual(shown, []);
  });
}

test('a setting that cannot be written is reported, and the offer does not come again', async () => {
  const { parts, shown, errors } = setUp({ answer: 'Turn On', fails: true });
  await offerSandbox(parts);
  assert.match(String(errors[0]), /read-only/);
  await offerSandbox(parts);
  assert.deepEqual([shown.length, errors.length], [1, 1]);
});
