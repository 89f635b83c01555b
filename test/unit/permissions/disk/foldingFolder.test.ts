import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { canMount, runThere } from '../../foldingDisk/runThere.ts';
import type { FoldingCall } from './foldingDecisions.ts';

const FILES = {
  '.env': 'A=1\n',
  'a.ts': 'a\n',
  'Src/secret/key.txt': 'k\n',
  'Src/b.ts': 'b\n',
  'src2/.ENV': 'B=1\n',
  'caf\u00e9.txt': 'c\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
};

const OPEN = ['fs.read {workspace}/** allow', 'fs.write {workspace}/** allow', 'bash * allow'];
const DENIES = [
  'fs.read **/.env deny',
  'fs.write **/.env deny',
  'fs.read {workspace}/Src/secret/** deny',
  'fs.read **/caf\u00e9.txt deny',
  'fs.write **/Fresh.txt deny',
];

/** By what is expected; a line is `tool target`. */
const EXPECTED = {
  deny: {
    'a deny holds for every spelling of a name': [
      ...['.env', '.ENV', '.Env', 'ENV~1', 'env~1', '.env.', '.env ', '.env::$DATA'],
      ...['SRC/secret/key.txt', 'Src/SECRET/KEY.TXT', 'SRC/x/../secret/key.txt'],
      `${'SRC/../'.repeat(50)}.ENV`,
      ...['caf\u00e9.txt', 'cafe\u0301.txt', 'CAF\u00c9.TXT', 'src2/.env', 'src2/.ENV'],
    ].flatMap((file) => [`read ${file}`, `grep ${file}`, `bash cat '${file}'`]),
    'a deny of writing holds for every spelling of a name': [
      ...['.env', '.ENV', 'ENV~1', '.env.', '.env ', '.env::$DATA'].map((file) => `write ${file}`),
      ...["bash echo x > '.ENV'", 'bash cp a.ts ENV~1'],
    ],
    'a deny holds for every spelling of a name that does not exist yet': [
      ...['Fresh.txt', 'FRESH.TXT', 'new/fresh.txt', 'fresh.txt.', 'fresh.txt::$DATA'],
      'New/.Env',
    ].map((file) => `write ${file}`),
    'what reads a folder finds denied files by any spelling': [
      ...['grep -r TODO SRC', 'grep -r TODO src2', 'cat SRC/secret/*', 'cat SRC2/.E*'],
      ...['grep -r TODO .', 'cd SRC && cat SECRET/key.txt', 'find SRC -type f -exec cat {} +'],
    ].map((line) => `bash ${line}`),
  },
  allow: {
    'other files are allowed by any spelling': [
      ...['read a.ts', 'read A.TS', 'bash cat A.ts', 'bash cat SRC/B.ts', 'read SRC', 'write a.TS'],
    ],
  },
  ask: {
    'protected files ask by any spelling': [
      ...['write .GIT/hooks/x', 'write GIT~1/hooks/x', 'bash echo x > GIT~1/config'],
    ],
  },
} as const;

if (canMount()) {
  const lines = Object.values(EXPECTED).flatMap((topics) => Object.values(topics).flat());
  const calls = lines.map((line): FoldingCall => {
    const [tool = '', ...rest] = line.split(' ');
    return { tool, target: rest.join(' '), rules: [...OPEN, ...DENIES] };
  });
  const script = path.join(import.meta.dirname, 'foldingDecisions.ts');
  let decisions: readonly string[] | undefined;
  const decideThere = () =>
    (decisions ??= JSON.parse(runThere(FILES, script, [JSON.stringify(calls)])));
  for (const [decision, topics] of Object.entries(EXPECTED))
    for (const [title, own] of Object.entries(topics))
      test(`in a folder that ignores case ${title}`, () => {
        const all = decideThere();
        for (const line of own) assert.equal(all[lines.indexOf(line)], decision, line);
      });
}
