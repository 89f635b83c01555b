import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

// One word, one meaning: words that the glossary replaced do not come back into the product.

const ROOT = path.resolve(import.meta.dirname, '../..');

/** In a comment it may have its ordinary meaning. */
const PLACE = /\bplac(?:e|es|ed|ing)\b(?! ?holder)/;

/** The words that are not used, and what to write instead. */
const INSTEAD: readonly (readonly [words: RegExp, write: string])[] = [
  [/\bjudg(?:e[sd]?|ing|e?ments?)\b/, 'evaluate (a call) or validate (a manifest)'],
  [/\bverdicts?\b/, 'decision or answer'],
  [/\blaws?\b/, 'compiled policy or rules'],
  [/\bworkshops?\b/, 'driver, agent definition or host services'],
  [/\btak(?:es?|ing|en) (?:\w+ )?back\b/, 'cancel, withdraw or revoke'],
  [/\bforg(?:ets?|etting|ot|otten)\b/, 'invalidate, drop or remove'],
  [/\bsa(?:y|ys|ying|id) yes\b/, 'approve or accept'],
  [/\bwhat waits\b/, 'pending requests'],
  [PLACE, 'folder, path, location or position'],
];

/** Where an outside format has such a word, or it has its ordinary meaning. */
const ORDINARY: readonly RegExp[] = [
  // The field of an external watchdog's answer (spec C-59).
  /^verdict$|`verdict`/,
  /\bin[ -]place\b/g,
];

/** A noun with "of" is no name of a function; "one of" is no such noun. */
const ACCESSOR = /\b(?:function\*?|const|let|readonly) (?!is[A-Z])(\w+Of)(?<!OneOf)\b/g;

interface Token {
  readonly kind: 'name' | 'string' | 'comment';
  readonly text: string;
}

const SOURCES = readSources();

test('names, strings and comments use the words of the glossary', () => {
  const found = SOURCES.flatMap(({ file, text }) =>
    scan(text).flatMap((token) => {
      return check(token).map((write) => `${file}: ${token.text.slice(0, 60)} (write ${write})`);
    }),
  );
  assert.deepEqual([...new Set(found)], []);
});

test('accessors are verbs or fields: getX, not xOf', () => {
  const found = SOURCES.flatMap(({ file, text }) =>
    [...text.matchAll(ACCESSOR)].map(([, name]) => `${file}: ${name}`),
  );
  assert.deepEqual(found, []);
});

const SAMPLES: readonly (readonly [code: string, found: number])[] = [
  ['const judgeAll = 1;', 1],
  ['const replaced = placeholder + placeHolder;', 0],
  ['call(`a ${place} b`);', 1],
  ['call(`a ${`in ${b}`} place`);', 1],
  ["const it = 'writes in place';", 0],
  ["const it = { verdict: 'x' };", 0],
  ["const it = 'Its verdict.';", 1],
  ["// judge\n/* 'judge' */ const it = /['\"]judge/;", 2],
  ['// It takes the place of the file.', 0],
  ['isTakenBack();', 1],
  ["const a = b / c; const d = 'law' / 2;", 1],
  ['const flaw = outlaw;', 0],
];
for (const [code, found] of SAMPLES) {
  test(`${JSON.stringify(code)} has ${found} of them`, () => {
    assert.equal(scan(code).flatMap(check).length, found);
  });
}

function check({ kind, text }: Token): readonly string[] {
  const words = kind === 'name' ? splitName(text) : text.toLowerCase();
  const rest = ORDINARY.reduce((left, ordinary) => left.replace(ordinary, ''), words);
  return INSTEAD.filter(([pattern]) => pattern.test(rest))
    .filter(([pattern]) => kind !== 'comment' || pattern !== PLACE)
    .map(([, write]) => write);
}

/** `isTakenBack` is "is taken back". */
function splitName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/_/g, ' ')
    .toLowerCase();
}

/** Names, and the texts of strings and comments; regular expressions and numbers are left out. */
function scan(code: string): readonly Token[] {
  const pieces = [
    String.raw`(?<comment>\/\/[^\n]*|\/\*(?:.|\n)*?\*\/)`,
    // After an operator or a bracket a slash begins a regular expression.
    String.raw`(?<=[(,=:[!&|?{};>]\s*|^\s*|\breturn\s)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*`,
    String.raw`(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")`,
    '(?<template>`)',
    String.raw`(?<name>[A-Za-z_$][\w$]*)`,
    String.raw`(?<open>\{)`,
    String.raw`(?<close>\})`,
  ];
  const next = new RegExp(pieces.join('|'), 'gmu');
  const found: Token[] = [];
  // One entry for each open brace: whether it is the `${` of a template.
  const braces: boolean[] = [];
  const text = /(?:\\(?:.|\n)|\$(?!\{)|[^`\\$])*(?<end>`|\$\{)/uy;
  for (let match = next.exec(code); match !== null; match = next.exec(code)) {
    const { comment, string, template, name, open, close } = match.groups ?? {};
    if (comment !== undefined) found.push({ kind: 'comment', text: comment });
    if (string !== undefined) found.push({ kind: 'string', text: string.slice(1, -1) });
    if (name !== undefined) found.push({ kind: 'name', text: name });
    if (open !== undefined) braces.push(false);
    const inTemplate = template !== undefined || (close !== undefined && braces.pop() === true);
    if (!inTemplate) continue;
    text.lastIndex = next.lastIndex;
    const part = text.exec(code);
    const end = part?.groups?.['end'] ?? '';
    found.push({ kind: 'string', text: part?.[0].slice(0, -end.length) ?? '' });
    if (end === '${') braces.push(true);
    next.lastIndex = text.lastIndex;
  }
  return found;
}

function readSources(): readonly { readonly file: string; readonly text: string }[] {
  const list = ['-c', 'safe.directory=*', 'ls-files', '-z', 'src'];
  return execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((file) => /\.tsx?$/.test(file) && existsSync(path.join(ROOT, file)))
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }));
}
