import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOST_SETTINGS, type SettingSchema } from '../../../../src/base/settings.ts';
import { parseSettings } from '../../../../src/host/config/settings.ts';
import { DEFAULT_LIMITS } from '../../../../src/runtime/limits.ts';

const DEFAULTS = parseSettings({}, {});

/** Values that the schema of a type does not take. */
const WRONG: Readonly<Record<SettingSchema['type'], readonly unknown[]>> = {
  integer: [-1, 1.5, '5', true, [], {}, Number.NaN],
  number: [-1, '5', true, [], {}, Number.NaN],
  string: [5, true, [], {}],
  boolean: [0, 'true', [], {}],
  list: ['a', 5, true, {}],
  enum: ['other', 5, true, []],
  rules: ['a', 5, {}],
  object: ['a', 5, true, []],
};

test("without settings, the schema's defaults apply", () => {
  assert.deepEqual(DEFAULTS.problems, []);
  assert.deepEqual(DEFAULTS.settings.limits, DEFAULT_LIMITS);
});

for (const [key, schema] of Object.entries<SettingSchema>(HOST_SETTINGS)) {
  // These two fail closed instead: below, and in test/unit/host/session/watchdog.test.ts.
  if (key === 'watchdog.command' || key === 'sandbox.mode') continue;
  test(`${key} of a wrong type is reported, and its default is used`, () => {
    for (const value of WRONG[schema.type]) {
      const { settings, problems } = parseSettings({ [key]: value }, {});
      assert.deepEqual(settings, DEFAULTS.settings, JSON.stringify(value));
      assert.deepEqual(
        problems.map(({ setting }) => setting),
        [`gatehouse.${key}`],
        JSON.stringify(value),
      );
    }
  });
}

test('a mode of the sandbox that cannot be read is reported, and requires the sandbox', () => {
  for (const value of WRONG.enum) {
    const { settings, problems } = parseSettings({ gatehouse: 1, 'sandbox.mode': value }, {});
    assert.equal(settings.sandboxMode, 'require', JSON.stringify(value));
    assert.deepEqual(
      problems.map(({ setting }) => setting),
      ['gatehouse.sandbox.mode'],
    );
  }
  const off = parseSettings({ 'sandbox.mode': 'off', 'sandbox.autoRun': true }, {}).settings;
  assert.deepEqual([off.sandboxMode, off.runsInCopy], ['off', false]);
});

test('a value below its minimum is reported; one above its maximum is clamped', () => {
  assert.deepEqual(parseSettings({ 'limits.readBytes': 0 }, {}).problems, [
    { setting: 'gatehouse.limits.readBytes', message: 'Must be an integer of 1 or more.' },
  ]);
  assert.equal(parseSettings({ 'limits.modelRetries': 0 }, {}).settings.limits.modelRetries, 0);
  const { settings, problems } = parseSettings({ 'tools.timeout': 1e6 }, {});
  assert.deepEqual([settings.declaredTools.timeoutMs, problems], [86_400_000, []]);
});

test('an item that is no variable or prefix is reported, and the others are passed', () => {
  const right = ['FOO', 'foo_bar', '_A', 'MY_*', 'A_B_*', 'ProgramFiles(x86)'];
  const wrong = ['*', 'F*', '_*', '', 'A=1', 'A B', '$A', 'A_*_B', '1A'];
  const { settings, problems } = parseSettings({ 'environment.pass': [...wrong, ...right] }, {});
  assert.deepEqual(settings.passedVariables, right);
  const setting = 'gatehouse.environment.pass';
  assert.deepEqual(
    problems.map((problem) => problem.setting),
    wrong.map(() => setting),
  );
  const message = '"*" must be a name such as JAVA_HOME or a prefix such as MY_*.';
  assert.deepEqual(problems[0], { setting, message });
});

test('an address that is not an http URL is reported, whatever its source', () => {
  const message = 'Must be an http or https URL, such as http://127.0.0.1:11434/v1.';
  assert.deepEqual(parseSettings({ 'model.baseUrl': 'ftp://a' }, {}).problems, [
    { setting: 'gatehouse.model.baseUrl', message },
  ]);
  assert.deepEqual(parseSettings({}, { GATEHOUSE_MODEL_BASE_URL: 'a' }).problems, [
    { setting: 'GATEHOUSE_MODEL_BASE_URL', message },
  ]);
});
