import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hasStrace, installBubblewrap, installStrace } from '../../defaults/tools.ts';
import { makeBed } from '../../fuzz/readers/bed.ts';
import { fuzzReaders, runLines } from '../../fuzz/readers/fuzzReaders.ts';
import { sizeOf } from '../../workbench/sizes.ts';

installStrace();
installBubblewrap();
const skip = process.platform !== 'linux' && 'strace is for Linux';
const LINES = sizeOf(300, 3_000);

test(`none of ${LINES} lines of reading programs opens, writes or starts what it wasn't asked about`, {
  skip,
}, async () => {
  assert.ok(hasStrace(), 'strace is needed, and may not trace here');
  const { misses, allowed } = await fuzzReaders(LINES, 20_261_128);
  assert.deepEqual(misses, []);
  // Lines that are never allowed would prove nothing.
  assert.ok(allowed > LINES / 4, `only ${allowed} lines were allowed`);
});

test('the oracle sees what a line does, and tells it from the lines beside it', { skip }, () => {
  const bed = makeBed();
  after(() => bed.dispose());
  const harmful: readonly (readonly [line: string, why: RegExp])[] = [
    ['cat a.txt', /^$/],
    ['cat envlink', /opened \.env/],
    ['git show HEAD:.env', /printed x MARK-OF-THE-SECRET \.env/],
    ['cat out.txt', /opened \.\.\/outside\/secret\.txt/],
    ['ls out', /opened \.\.\/outside/],
    ['cat src/.en?', /opened src\/\.env/],
    ['sort -o made.txt a.txt', /wrote .*made\.txt/],
    ['rm "b c.txt"', /wrote .*b c\.txt/],
    ['find a.txt -ls', /^$/],
    ['x=tru; /bin/${x}e', /started .*true/],
    ['exec 3<>/dev/tcp/127.0.0.1/9', /contacted 127\.0\.0\.1:9/],
    ['wc -l list', /^$/],
  ];
  const found = runLines(
    harmful.map(([line]) => line),
    bed,
    'shipped',
  );
  for (const [line, why] of harmful)
    assert.match(
      found
        .filter((each) => each.line === line)
        .map((each) => each.why)
        .join(),
      why,
      line,
    );
});
