import { checks } from './checked.ts';

// The document vectors of agentcli manifests, by the built `gatehouse check`.

const good = { name: 'a', command: ['./tools/bin/x'] };
const PREFIX = 'tool[0] "a": relative command[0] must start with ./tools/bin/';
const escapes = (got: string, clean: string) =>
  `tool[0] "a": command[0] escapes ./tools/bin after normalization (got "${got}" -> "${clean}")`;

tools('VA-1 a tool without a name', [{ command: ['./tools/bin/x'] }], 'tool[0]: name is required');
tools('VA-2 a name that comes twice', [good, good], 'tool[1] "a": duplicate name');
tools(
  'VA-3 a command without a program',
  [{ name: 'a', command: [] }],
  'tool[0] "a": command must have at least program name',
);
command('VA-4 a program of PATH', 'echo', PREFIX);
command(
  'VA-5 a program that climbs out',
  './tools/bin/../hack',
  escapes('./tools/bin/../hack', './tools/hack'),
);
command('VA-6 a program beside the folder', '../tools/bin/get_time', PREFIX);
command('VA-7 the folder itself', './tools/bin', escapes('./tools/bin', './tools/bin'));
command('VA-8 backslashes', '.\\tools\\bin\\fs_read_file', PREFIX);
command('VA-9 backslashes that climb', '.\\tools\\bin\\..\\hack', PREFIX);
command('VA-10 no leading ./', 'tools/bin/x', PREFIX);
command('VA-11 an absolute program', '/bin/true');
tools('VA-12 names of variables that are normalised', [
  { ...good, envPassthrough: ['oai_api_key', 'OAI_API_KEY', ' Path ', 'TZ'] },
]);
tools(
  'VA-13 only the first bad name of a variable',
  [{ ...good, envPassthrough: ['1BAD', 'GOOD', 'OAI-API-KEY'] }],
  'tool[0] "a": envPassthrough[0]: invalid name "1BAD" (must match [A-Z_][A-Z0-9_]*)',
);
tools(
  'VA-14 a bad name of a variable as it is written',
  [{ ...good, envPassthrough: ['OAI-API-KEY'] }],
  'tool[0] "a": envPassthrough[0]: invalid name "OAI-API-KEY" (must match [A-Z_][A-Z0-9_]*)',
);
tools(
  'VA-15 an empty name of a variable',
  [{ ...good, envPassthrough: ['OK', '  '] }],
  'tool[0] "a": envPassthrough[1]: empty name',
);
tools(
  'VA-16 the first error of a tool alone',
  [{ name: '', command: [] }],
  'tool[0]: name is required',
);
command(
  'VA-29 a program that climbs far',
  './tools/bin/../../../x',
  escapes('./tools/bin/../../../x', '../x'),
);
command('VA-30 a detour within the folder', './tools/bin/../bin/x');
command('VA-31 a sub-folder', './tools/bin/sub/x');
command('VA-32 an empty program', '', PREFIX);
tools(
  'VA-33 a name of one space',
  [{ ...good, name: ' ' }],
  'tool[0] " ": name must be 1 to 62 letters, digits, "_" and "-"',
);

checks(
  'the number 1e400 in a schema, which JSON cannot hold',
  {
    'tools.json':
      '{"tools":[{"name":"a","command":["./tools/bin/x"],"schema":{"properties":{"n":{"maximum":1e400}}}}]}',
  },
  ['parse manifest: a number that JSON cannot hold'],
);

function tools(name: string, list: readonly object[], ...errors: readonly string[]): void {
  checks(name, { 'tools.json': { tools: list } }, errors);
}

function command(name: string, program: string, ...errors: readonly string[]): void {
  tools(name, [{ name: 'a', command: [program] }], ...errors);
}
