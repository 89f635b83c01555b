import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash, plantWorkspace } from '../ask.ts';

const ALL = 'bash * allow';
const workspace = plantWorkspace(['secrets/pub/a', 'sub/a', 'sub/b/c']);

// An archive may bring protected files into the folder that the line starts in.
check(
  [
    ['tar xf a.tar', [ALL], 'ask'],
    ['cd sub && tar xf a.tar', [ALL], 'allow'],
    ['cd sub; tar xf a.tar', [ALL], 'ask'],
    ['cd sub || true; tar xf a.tar', [ALL], 'ask'],
    ['cd sub && cd b || exit; tar xf a.tar', [ALL], 'ask'],
    ['tar xf a.tar -C sub', [ALL], 'allow'],
    ['cd sub || true; tar xf a.tar -C x', [ALL], 'allow'],
    ['cd ..; tar xf a.tar -C x', [ALL], 'ask'],
    ['cd .. && tar xf a.tar -C x', [ALL], 'ask'],
  ],
  workspace,
);

// A narrower allow lifts a deny of the folder around it, and no other does.
check(
  [
    ['grep -rn x .', [ALL, 'fs.read secrets/** deny', 'fs.read secrets/pub/** allow'], 'allow'],
    ['grep -rn x .', [ALL, 'fs.read secrets/** deny', 'fs.read secrets/priv/** allow'], 'deny'],
    ['grep -rn x .', [ALL, 'fs.read secrets/** deny', 'fs.read sub/** allow'], 'deny'],
    ['grep -rn x .', [ALL, 'fs.read secrets/** deny', 'fs.read ** allow'], 'deny'],
  ],
  workspace,
);

// Behind `-C folder`, the words that an allow must contain are those of the command itself.
check(
  [
    ['git -C sub status', ['bash git -C sub * allow'], 'allow'],
    ['git -C sub frob', ['bash git -C sub * allow'], 'ask'],
    ['git -C sub frob', ['bash git -C sub frob allow'], 'allow'],
    ['git -C sub status', ['bash git * allow'], 'ask'],
    ['git -C sub diff --output=x', ['bash git -C sub diff * allow'], 'ask'],
    ['git -C sub diff --output=x', ['bash git -C sub diff --output=x allow'], 'allow'],
  ],
  workspace,
);

// The values of letters in one word follow it in their order.
check(
  [
    ['tree -L 2 src', [ALL, 'fs.read 2 deny'], 'allow'],
    ['tree -LP 2 x src', [ALL, 'fs.read x deny'], 'allow'],
    ['tree -LP 2 x src', [ALL, 'fs.read src deny'], 'deny'],
    ['tree -aL 2 x', [ALL, 'fs.read x deny'], 'deny'],
  ],
  workspace,
);

const takenIn = plantWorkspace(['src/a', '.env']);
// These programs take in the whole folder that they run in.
check(
  [
    ['repomix', [ALL, '* **/.env deny'], 'ask'],
    ['repomix src', [ALL, '* **/.env deny'], 'allow'],
    ['docker build .', [ALL, '* **/.env deny'], 'ask'],
    ['docker build src', [ALL, '* **/.env deny'], 'allow'],
  ],
  takenIn,
);

// A glob that leaves files out includes none.
check(
  [
    ["rg x -g '!node_modules/*'", [ALL, '* **/.env deny'], 'allow'],
    ["rg x -g '.e*'", [ALL, '* **/.env deny'], 'ask'],
    ["rg x -g 'conf/*'", [ALL, '* **/.env deny'], 'ask'],
    ['cat <<< "a b"', [ALL], 'allow'],
    ['cat <<< "a $[1"', [ALL], 'ask'],
    ['cat <<< a$[1', [ALL], 'ask'],
  ],
  takenIn,
);

const globbed = plantWorkspace(['a.md', 'src/a.ts', 'src/-x']);
// A glob is only expanded where the folder is known.
check(
  [
    ['cat *.md', [ALL], 'allow'],
    ['cd src && cat *.ts', [ALL], 'allow'],
    ['cd src || true; cat *.ts', [ALL], 'ask'],
    ['cd src; cat *.ts', [ALL], 'ask'],
    ['cd src && cat *', [ALL], 'ask'],
    ['pushd +1; cat *.md', [ALL], 'ask'],
  ],
  globbed,
);

function check(
  rows: readonly (readonly [line: string, rules: readonly string[], expected: string])[],
  root: string,
): void {
  for (const [line, rules, expected] of rows) {
    test(`${line} is ${expected} under ${rules.join(', ')}`, async () => {
      const folders = { workspace: [root], adHoc: [], cwd: root };
      const { decision, reason } = await evaluateBash(line, rules, { folders, lookMs: 60_000 });
      assert.equal(decision, expected, reason);
    });
  }
}
