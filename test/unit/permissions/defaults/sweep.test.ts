import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DEFAULT_RULES, readOnlyCommands } from '../../../../src/permissions/defaults/defaults.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { readDocument, writeDocument } from '../../../defaults/document.ts';
import { FAMILIES, familyOf } from '../../../defaults/families.ts';
import { makeBed } from '../../../defaults/repositories.ts';
import { startServer } from '../../../defaults/server.ts';
import { sweepRows } from '../../../defaults/sweep.ts';
import { hasStrace } from '../../../defaults/tools.ts';
import { parseTrace } from '../../../defaults/trace.ts';
import { sizeOf } from '../../../workbench/sizes.ts';

test('every row belongs to one family, whose answers are in the document', () => {
  const used = new Set(readOnlyCommands().map(familyOf));
  assert.deepEqual(
    FAMILIES.filter((family) => !used.has(family)),
    [],
  );
  assert.equal(readDocument(), writeDocument());
});

test('a trace tells programs, reads, writes and hosts', () => {
  const trace = parseTrace([
    'execve("/usr/bin/cat", ["cat", "a"], 0x7ffe /* 39 vars */) = 0',
    'execve("/usr/local/bin/cat", ["cat", "a"], 0x7ffe /* 39 vars */) = -1 ENOENT (No such file or directory)',
    'openat(AT_FDCWD</w>, "link", O_RDONLY) = 3</out/secret>',
    'openat(AT_FDCWD</w>, "gone", O_RDONLY) = -1 ENOENT (No such file or directory)',
    'openat(AT_FDCWD</w>, "/etc", O_RDONLY|O_PATH|O_DIRECTORY) = 3</etc>',
    'openat(AT_FDCWD</w>, "new", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/new>',
    'openat(AT_FDCWD</w>, "/dev/null", O_WRONLY) = 3</dev/null>',
    'openat(AT_FDCWD</w>, "/tmp", O_RDWR|O_EXCL|O_TMPFILE, 0600) = 4</tmp/#1 (deleted)>',
    'unlinkat(5</w/src>, "a.txt", 0) = 0',
    'connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("10.0.0.1")}, 16) = -1 EINPROGRESS (x)',
    'connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="/run/x"}, 16) = 0',
  ]);
  assert.deepEqual(
    [trace.programs, trace.writes, trace.hosts].map((set) => [...set]),
    [['/usr/bin/cat'], ['/w/new', '/w/src/a.txt'], ['10.0.0.1:53']],
  );
  // `find -user` passes by folders of the system, which tells nothing of what is in them.
  assert.deepEqual([...trace.reads], ['/out/secret', '/tmp/#1 (deleted)']);
});

/** Rows that do harm in a hostile repository, each with what must be found. */
const PLANTED: Readonly<Record<string, RegExp>> = {
  'npm ls': /contacts 127\.0\.0\.1:9/,
  'node evil.js': /starts .*evil/,
  './ls src': /starts .*\/ls/,
  'git -c core.fsmonitor=./ls status': /starts .*ls/,
  'md5sum -c a.txt': /opens .*secret\.txt/,
  'sort -o out.txt a.txt': /writes .*out\.txt/,
  "sed -n 'w out.txt' a.txt": /writes .*out\.txt/,
  'git remote -v': /prints a secret/,
  [`awk 'BEGIN { print ENVIRON["SECRET"] }'`]: /prints a secret/,
  'getent hosts example.invalid': /contacts /,
};

if (hasStrace()) {
  const bed = makeBed();
  after(() => bed.dispose());

  test('ten bad rows are caught', async () => {
    const rows = Object.keys(PLANTED).map((pattern) => [pattern, '!'] as const);
    const rules = rows.map(
      ([pattern]): Rule => ({ permission: 'bash', pattern, action: 'allow', source: 'session' }),
    );
    const toFamily = () => ({});
    const options = { rows, rules, pairs: 0, seed: 1, jobs: 2, toFamily };
    const { findings, ran } = await sweepRows({ ...options, bed });
    const missed = Object.entries(PLANTED).filter(
      ([line, what]) => !findings.some((each) => each.startsWith(`${line}: `) && what.test(each)),
    );
    assert.deepEqual([missed.map(([line]) => line), ran], [[], 10]);
  });

  test('rows do no harm in a hostile repository, as far as time permits', async (t) => {
    const rows = readOnlyCommands();
    const signal = AbortSignal.timeout(sizeOf(5_000, 15_000));
    const options = { rows, rules: DEFAULT_RULES, pairs: 1, most: 400, jobs: 2, signal };
    const result = await sweepRows({ ...options, bed, seed: 1 });
    const missing = [...new Set([...result.missing].map((pattern) => pattern.split(' ')[0]))];
    t.diagnostic(
      `Ran ${result.ran} commands of ${result.rows.size} of ${rows.length} rows. Programs that aren't here: ${missing.join(' ')}.`,
    );
    t.diagnostic(`Rows that ran: ${[...result.rows].sort().join(', ')}`);
    assert.deepEqual(result.findings, []);
    assert.ok(result.ran > 0);
  });

  test('requests to a server that leads elsewhere stay on this machine', async () => {
    const server = await startServer();
    after(() => server.close());
    const rows = readOnlyCommands().filter(([pattern]) => pattern === 'curl');
    const options = { rows, rules: DEFAULT_RULES, pairs: 4, most: 24, jobs: 2, seed: 1 };
    const { findings, ran } = await sweepRows({ ...options, bed, server: server.address });
    assert.deepEqual([findings, ran > 0], [[], true]);
    // What the row must not let through is found.
    const follows = [['curl -s -L', '']] as const;
    const rules = [
      { permission: 'bash', pattern: 'curl *', action: 'allow', source: 'session' },
    ] as const;
    const bad = await sweepRows({
      ...{ ...options, rows: follows, rules, bed, server: server.address },
      toFamily: () => ({ contacts: /^127\./ }),
    });
    assert.match(bad.findings.join(), /contacts 192\.0\.2\.1:80/);
  });
} else {
  test('the rows are not run here, which takes Linux and strace', (t) => {
    t.diagnostic('Run `npm run test:defaults` on Debian. CI does so with strace installed.');
  });
}
