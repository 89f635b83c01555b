import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { type Evaluation, startEvaluation } from '../../../../src/permissions/decide/evaluation.ts';
import { withOtherNames } from '../../../../src/permissions/decide/otherNames.ts';
import type { RealPath } from '../../../../src/permissions/patterns/paths.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import { policyOf, rulesOf } from '../ask.ts';

interface Case {
  /** Names of one file under a folder of its own, `w` being the workspace; the first is judged. */
  readonly links: readonly [string, ...string[]];
  /** `BASE` stands for the folder. */
  readonly rules?: readonly string[];
  readonly roots?: readonly string[];
  /** What is found out beside the judged name. */
  readonly finds?: readonly string[];
}

/** Makes the links and looks for the other names of the first. */
function check(promise: string, { links, rules = [], roots, finds = [] }: Case): void {
  test(promise, () => {
    using bed = openBed();
    const [evaluated] = links;
    bed.link(...links);
    const place = bed.place(evaluated);
    const { names = [] } = withOtherNames(place, bed.compiled(rules, roots));
    assert.deepEqual([...names].sort(), finds.map(bed.at).sort());
  });
}

check('nothing is looked for above the root of a file', {
  links: ['w/a/notes', 'conf/.env', 'w/conf/.env'],
  rules: ['fs.read **/conf/.env deny'],
  finds: ['w/conf/.env'],
});

for (const action of ['deny', 'ask']) {
  for (const permission of ['fs.read', 'fs.write']) {
    check(`a name far away that ${permission} rules ${action} is found`, {
      links: ['w/notes', 'far/.env'],
      rules: [`${permission} BASE/far/.env ${action}`],
      finds: ['far/.env'],
    });
  }
}

check('a name that is allowed alone is not looked for', {
  links: ['w/notes', 'far/.env'],
  rules: ['fs.read BASE/far/.env allow'],
});

check('a name beside the file is found without any rule', {
  links: ['w/a/notes', 'w/a/.npmrc'],
  finds: ['w/a/.npmrc'],
});

check('all names are found, each of them once, and not the file’s own', {
  links: ['w/notes', 'w/.env', 'w/b', 'far/.env'],
  rules: ['fs.read **/.env deny', 'fs.read BASE/far deny', 'fs.read BASE/far/.env ask'],
  finds: ['w/.env', 'w/b', 'far/.env'],
});

check('what lies below a folder beside the file is not looked at', {
  links: ['w/notes', 'w/a/.env'],
});

check('what lies at any depth below a folder that a rule means is found', {
  links: ['w/notes', 'w/secrets/key', 'w/secrets/a/b/key', 'far/a/b/key'],
  rules: ['fs.read **/secrets/** deny', 'fs.read BASE/far/** deny'],
  finds: ['w/secrets/key', 'w/secrets/a/b/key', 'far/a/b/key'],
});

check('a folder around a root is not walked through for its globs', {
  links: ['w/notes', 'k.pem', 'far/k.pem'],
  rules: ['fs.read BASE/**/*.pem deny'],
  finds: ['k.pem'],
});

check('a folder around one of several roots is not walked through either', {
  links: ['w/a/notes', 'w/b/k.pem', 'w/b/c/k.pem'],
  rules: ['fs.read BASE/w/b/**/*.pem deny'],
  roots: ['w/a', 'w/b/root'],
  finds: ['w/b/k.pem'],
});

check('a name in another root is found', {
  links: ['w/notes', 'v/.env', 'v/conf/.env'],
  rules: ['fs.read **/conf/.env deny'],
  roots: ['w', 'v'],
  finds: ['v/.env', 'v/conf/.env'],
});

check('a name in a folder between the file and its root is found', {
  links: ['w/a/b/c/notes', 'w/a/conf/.env'],
  rules: ['fs.read **/conf/.env deny'],
  finds: ['w/a/conf/.env'],
});

check('of a file in no root the folders above it are looked at', {
  links: ['far/a/b/notes', 'far/conf/.env'],
  rules: ['fs.read **/conf/.env deny'],
  roots: [],
  finds: ['far/conf/.env'],
});

check('a name in the state of the host is found', {
  links: ['w/notes', 'state/gatehouse.db'],
  finds: ['state/gatehouse.db'],
});

for (const folder of [
  '.git',
  '.git/hooks',
  '.vscode',
  '.claude',
  '.agents',
  '.gatehouse',
  '.husky',
  '.devcontainer',
  '.idea',
]) {
  check(`a name in ${folder}, which is protected, is found in each root`, {
    links: ['w/a/notes', `w/${folder}/x`, `v/${folder}/x`],
    roots: ['w', 'v'],
    finds: [`w/${folder}/x`, `v/${folder}/x`],
  });
}

check('folders that are not there hold no name', {
  links: ['w/notes', 'w/x'],
  rules: ['fs.read **/none/.env deny', 'fs.read BASE/none/** deny', 'fs.read BASE/nil deny'],
  roots: ['w', 'none'],
  finds: ['w/x'],
});

for (const roots of [
  ['w', 'v'],
  ['v', 'w'],
])
  check(`a workspace folder that a rule covers is not walked through, of ${roots.join(' and ')}`, {
    links: ['w/notes', 'w/deep/er/x', 'w/beside'],
    rules: ['fs.read BASE/w/** deny'],
    roots,
    finds: ['w/beside'],
  });

test('a folder is looked for in the sixteen folders above a file and in no higher one', () => {
  using bed = openBed();
  const above = Array.from({ length: 17 }, (_, index) => `d${index}`);
  const folders = above.map((_, index) => above.slice(0, index + 1).join('/'));
  const [first = '', second = '', ...rest] = folders;
  const evaluated = `${rest.at(-1)}/notes`;
  bed.link(evaluated, `${first}/conf/.env`, `${second}/conf/.env`);
  const place = bed.place(evaluated);
  const compiled = bed.compiled(['fs.read **/conf/.env deny'], []);
  assert.deepEqual(withOtherNames(place, compiled).names, [bed.at(`${second}/conf/.env`)]);
});

test('of a file with one name nothing is looked for', () => {
  using bed = openBed();
  bed.link('w/notes', 'w/.env');
  const place = { path: bed.at('w/notes') };
  assert.equal(withOtherNames(place, bed.compiled()), place);
});

test('another file, or the same number on another disk, is no other name', () => {
  using bed = openBed();
  bed.link('w/notes', 'w/.env');
  bed.link('w/else', 'w/else2');
  bed.link('w/single');
  const { dev, ino } = statSync(bed.at('w/notes'));
  const compiled = bed.compiled();
  for (const inode of [
    { dev: dev + 1, ino },
    { dev, ino: statSync(bed.at('w/single')).ino },
  ]) {
    const place = { path: bed.at('w/notes'), inode };
    assert.equal(withOtherNames(place, compiled), place);
  }
  assert.deepEqual(withOtherNames(bed.place('w/notes'), compiled).names, [bed.at('w/.env')]);
});

test('a folder is no name of a file, though folders have several links', () => {
  using bed = openBed();
  bed.link('w/secrets/a/key');
  const place = { path: bed.at('w/notes'), inode: statSync(bed.at('w/secrets')) };
  assert.equal(withOtherNames(place, bed.compiled(['fs.read **/secrets/** deny'])), place);
});

test('names that are known already are kept in front', () => {
  using bed = openBed();
  bed.link('w/notes', 'w/.env');
  const place = { ...bed.place('w/notes'), names: [bed.at('w/link')] };
  const { names } = withOtherNames(place, bed.compiled());
  assert.deepEqual(names, [bed.at('w/link'), bed.at('w/.env')]);
});

test('links are not followed, neither to a folder nor to a file', () => {
  using bed = openBed();
  bed.link('w/a/notes', 'far/key');
  symlinkSync(bed.at('far'), bed.at('w/secrets'));
  symlinkSync(bed.at('far/key'), bed.at('w/a/link'));
  const place = bed.place('w/a/notes');
  assert.equal(withOtherNames(place, bed.compiled(['fs.read **/secrets/** deny'])), place);
});

test('one decision looks at each place once', () => {
  using bed = openBed();
  bed.link('w/notes', 'far/.env');
  const place = bed.place('w/notes');
  const compiled = bed.compiled(['fs.read BASE/far/** deny']);
  assert.deepEqual(withOtherNames(place, compiled).names, [bed.at('far/.env')]);
  bed.link('far/.env', 'far/new');
  assert.deepEqual(withOtherNames(place, compiled).names, [bed.at('far/.env')]);
});

test('one decision looks at 10,000 entries and no more', () => {
  using bed = openBed();
  bed.link('w/a/notes', 'state/gatehouse.db');
  // Folders and links of a folder that is not walked through are not counted.
  symlinkSync('a', bed.at('w/link'));
  const place = bed.place('w/a/notes');
  // The state comes last, so its one file is the first that is too many.
  const looking = (entries: number) => {
    const rules = Array.from({ length: Math.ceil(entries / 200) }, (_, at) => {
      const names = Array.from({ length: Math.min(200, entries - at * 200) }, (_, n) => `n${n}`);
      return `fs.read BASE/none/${at}/{${names.join(',')},n0} deny`;
    });
    return withOtherNames(place, bed.compiled(rules)).names ?? [];
  };
  assert.deepEqual(looking(9999), [bed.at('state/gatehouse.db')]);
  assert.deepEqual(looking(10_000), []);
});

interface OtherNamesBed extends Disposable {
  at(name: string): string;
  place(name: string): RealPath;
  /** Writes the file and gives it its other names, folders included. */
  link(file: string, ...names: readonly string[]): void;
  compiled(rules?: readonly string[], roots?: readonly string[]): Evaluation;
}

function openBed(): OtherNamesBed {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'other-names-')));
  const at = (name: string) => path.join(base, name);
  return {
    at,
    place: (name) => ({ path: at(name), inode: statSync(at(name)) }),
    link(file, ...names) {
      for (const name of [file, ...names]) mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(file), 'x');
      for (const name of names) linkSync(at(file), at(name));
    },
    compiled(rules = [], roots = ['w']) {
      const workspace = roots.map(at);
      const folders = { workspace, adHoc: [], state: at('state'), cwd: workspace[0] ?? base };
      const written = rulesOf(...rules.map((rule) => rule.replace('BASE', base)));
      return startEvaluation(createPolicyCompiler().compile(policyOf(written, { folders })));
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}
