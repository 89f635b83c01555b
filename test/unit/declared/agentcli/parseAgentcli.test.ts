import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { errors, FOLDER, messages, surroundings, validate, validateWhole } from '../validated.ts';

const good = { name: 'a', command: ['./tools/bin/x'] };
const A16 = 'tool[0] "a": relative command[0] must start with ./tools/bin/';
const escapes = (got: string, clean: string) =>
  `tool[0] "a": command[0] escapes ./tools/bin after normalization (got "${got}" -> "${clean}")`;

check('VA-1 a name is required', [{ command: ['./tools/bin/x'] }], ['tool[0]: name is required']);
check('a null name is an absent one', [{ ...good, name: null }], ['tool[0]: name is required']);
check('VA-2 a name comes once', [good, good], ['tool[1] "a": duplicate name']);
check(
  'VA-3 a command has a program',
  [{ name: 'a', command: [] }],
  ['tool[0] "a": command must have at least program name'],
);
check(
  'an absent command has no program',
  [{ name: 'a' }],
  ['tool[0] "a": command must have at least program name'],
);
command('VA-4', 'echo', [A16]);
command('VA-5', './tools/bin/../hack', [escapes('./tools/bin/../hack', './tools/hack')]);
command('VA-6 (decision 41)', '../tools/bin/get_time', [A16]);
command('VA-7', './tools/bin', [escapes('./tools/bin', './tools/bin')]);
command('VA-8 (decision 41)', '.\\tools\\bin\\fs_read_file', [A16]);
command('VA-9 (decision 41)', '.\\tools\\bin\\..\\hack', [A16]);
command('a backslash counts in where the path leads', './tools/bin/..\\hack', [
  escapes('./tools/bin/..\\\\hack', './tools/hack'),
]);
command('VA-10 (decision 41)', 'tools/bin/x', [A16]);
command('VA-29 (decision 41)', './tools/bin/../../../x', [
  escapes('./tools/bin/../../../x', '../x'),
]);
command('VA-30', './tools/bin/../bin/x', []);
command('VA-31', './tools/bin/sub/x', []);
command('VA-32', '', [A16]);
command('a prefix that only looks right', './tools/binx/y', [A16]);
command('an inner NUL', './tools/bin/x\0y', ['tool[0] "a": command[0] holds a NUL character']);
env(
  'VA-14',
  ['OAI-API-KEY'],
  ['tool[0] "a": envPassthrough[0]: invalid name "OAI-API-KEY" (must match [A-Z_][A-Z0-9_]*)'],
);
env(
  'VA-13',
  ['1BAD', 'GOOD', 'OAI-API-KEY'],
  ['tool[0] "a": envPassthrough[0]: invalid name "1BAD" (must match [A-Z_][A-Z0-9_]*)'],
);
env('VA-15', ['OK', '  '], ['tool[0] "a": envPassthrough[1]: empty name']);
env(
  'a loader variable',
  ['ld_preload'],
  [
    'tool[0] "a": envPassthrough[0]: environment variable "LD_PRELOAD" is not allowed for security reasons',
  ],
);
check(
  'VA-16 only the first error of a tool',
  [{ name: '', command: [] }],
  ['tool[0]: name is required'],
);
check(
  'decision 47: the errors of all tools',
  [{ name: '' }, { ...good, name: 'b', command: ['x'] }],
  ['tool[0]: name is required', 'tool[1] "b": relative command[0] must start with ./tools/bin/'],
);
check(
  'VA-33 a name of one space is no function name',
  [{ ...good, name: ' ' }],
  ['tool[0] " ": name must be 1 to 62 letters, digits, "_" and "-"'],
);
check(
  'a name is quoted as Go does',
  [{ ...good, name: 'é"\n\u200b' }],
  ['tool[0] "é\\"\\n\\u200b": name must be 1 to 62 letters, digits, "_" and "-"'],
);
for (const timeoutSec of [-1, 1.5, '5', 1e12, 86_401, true]) {
  check(
    `timeoutSec ${timeoutSec} is refused (decision 45)`,
    [{ ...good, timeoutSec }],
    ['tool[0] "a": timeoutSec must be an integer from 0 to 86400'],
  );
}
for (const timeoutSec of [0, 1, 86_400, null]) {
  check(`timeoutSec ${timeoutSec} is taken`, [{ ...good, timeoutSec }], []);
}
check(
  'a locked id is refused',
  [{ ...good, name: 'bash' }],
  ['tool[0] "bash": name is reserved for a built-in tool'],
);
check(
  'an invalid schema is an error',
  [{ ...good, schema: { type: 'strnig' } }],
  ['tool[0] "a": schema is not a valid JSON Schema: must be equal to one of the allowed values'],
);

function check(name: string, tools: readonly unknown[], expected: readonly string[]) {
  test(name, async () => assert.deepEqual(errors(await validateWhole({ tools })), expected));
}

function command(name: string, program: string, expected: readonly string[]) {
  check(
    `${name}: command ${JSON.stringify(program)}`,
    [{ name: 'a', command: [program] }],
    expected,
  );
}

function env(name: string, envPassthrough: readonly string[], expected: readonly string[]) {
  check(`${name} in envPassthrough`, [{ ...good, envPassthrough }], expected);
}

test('VA-11 an absolute program loads unchanged', () => {
  const { entries } = validate({ tools: [{ name: 'a', command: ['/abs/prog', '-x'] }] });
  assert.deepEqual(
    entries.map((each) => each.dialect === 'agentcli' && [each.program, ...each.command]),
    [['/abs/prog', '/abs/prog', '-x']],
  );
});

test('VA-12 environment names are normalised, the first position kept', () => {
  const names = ['oai_api_key', 'OAI_API_KEY', ' Path ', 'TZ'];
  const { entries } = validate({ tools: [{ ...good, envPassthrough: names }] });
  assert.deepEqual(
    entries.map((each) => each.dialect === 'agentcli' && each.envPassthrough),
    [['OAI_API_KEY', 'PATH', 'TZ']],
  );
});

test('VA-17 the program is resolved in the folder of the manifest', () => {
  const { entries } = validate({ tools: [{ name: 'a', command: ['./tools/bin/../bin/x'] }] });
  assert.deepEqual(
    entries.map((each) => each.dialect === 'agentcli' && each.program),
    [path.join(FOLDER, 'tools/bin/x')],
  );
});

test('a tool is imported under its folder (decision 48)', () => {
  assert.deepEqual(
    validate({ tools: [good] }).entries.map(({ importedId }) => importedId),
    ['workspace_a'],
  );
});

test('a finding is at the exact place', () => {
  const text = '{\n  "tools": [\n    { "name": "a", "command": ["./tools/bin/x", "é", 5] }\n  ]\n}';
  const [diagnostic] = validate(text).diagnostics;
  const { pointer, line, column } = diagnostic ?? {};
  assert.deepEqual(
    { pointer, line, column },
    { pointer: '/tools/0/command/2', line: 3, column: 54 },
  );
});

test('a missing program and a strange reference are warnings that hold the tool back', () => {
  const schema = { $ref: 'https://evil.example/s.json' };
  const around = { ...surroundings(), program: () => 'missing' as const };
  const manifest = validate({ tools: [{ ...good, schema }] }, { around });
  assert.deepEqual(errors(manifest), []);
  assert.deepEqual(messages(manifest, 'warning').toSorted(), [
    'tool[0] "a": program "./tools/bin/x" is missing: the tool is not offered',
    'tool[0] "a": unresolved $ref "https://evil.example/s.json": the tool is not offered',
  ]);
  assert.deepEqual(
    manifest.diagnostics.map(({ blocks }) => blocks),
    [0, 0],
  );
});

test('on Windows a relative program ends in .exe, and a fix adds it', () => {
  const [diagnostic] = validate(
    { tools: [good] },
    { around: surroundings({}, [], 'win32') },
  ).diagnostics;
  assert.match(diagnostic?.message ?? '', /must end in \.exe/);
  assert.equal(diagnostic?.fix?.edits[0]?.text, '"./tools/bin/x.exe"');
});

test('the fix of a missing prefix keeps the name of the program', () => {
  const [diagnostic] = validate({ tools: [{ name: 'a', command: ['bin/x'] }] }).diagnostics;
  assert.deepEqual(
    diagnostic?.fix?.edits.map(({ text }) => text),
    ['"./tools/bin/x"'],
  );
});

test('invisible characters in a description are shown', () => {
  const manifest = validate({ tools: [{ ...good, description: 'Adds.\u{E0049}\u{E0067}' }] });
  assert.deepEqual(messages(manifest, 'warning'), [
    'tool[0] "a": description holds 2 invisible characters, which are removed for the model',
  ]);
});

test('broken text is one finding with its place, never an exception', () => {
  assert.deepEqual(errors(validate('{"tools":[')), [
    'parse manifest: close bracket expected',
    'parse manifest: close brace expected',
  ]);
  assert.deepEqual(errors(validate('\uFEFF{"tools":[]}')), [
    'parse manifest: the file starts with a byte order mark',
  ]);
  assert.deepEqual(errors(validate('{"tools":[],"tools":[]}')), [
    'parse manifest: duplicate key "tools"',
  ]);
  assert.deepEqual(errors(validate('['.repeat(100_000))), [
    'parse manifest: nested deeper than 100 levels',
  ]);
});

test('the root is an object with an array of tools', () => {
  assert.deepEqual(errors(validate('[]')), [
    'parse manifest: the root must be an object, not array',
  ]);
  assert.deepEqual(errors(validate({ tools: {} })), ['parse manifest: tools must be an array']);
  assert.deepEqual(errors(validate({ tools: null })), ['parse manifest: tools is required']);
});
