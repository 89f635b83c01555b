import type { Random } from '../../random.ts';

const LINES = [
  ...[
    'Some **bold** and *slanted* text with `code`.',
    'A [link](https://a.example/x) and src/a.ts:3.',
  ],
  ...[
    'Zeichen: ä, 漢字, 👩‍👩‍👧, 🏳️‍🌈 and a\u200bhidden one.',
    'x < y && y > z; **never closed',
    '``code`` and ```inline fence```',
  ],
  ...[
    '<b onclick="x">raw</b>',
    '![alt](https://a.example/i.png)',
    '\\* escaped \\_',
    'two  \nlines',
    'ends with a mark *',
  ],
] as const;
const BLANKS = ['\n\n', '\n\n', '\n', '\n \n', '\n\n\n'] as const;
const LANGUAGES = ['', 'ts', 'sh', 'c++', 'ts {1,3}', 'é'] as const;

/** A Markdown document as models write them, with marks that are cut off or never closed. */
export function createDocument(random: Random): string {
  const count = random(12);
  return Array.from({ length: count }, () => createPart(random)).join('');
}

function createPart(random: Random): string {
  const part = pick(random, PARTS)(random);
  return `${part}${pick(random, BLANKS)}`;
}

const PARTS: readonly ((random: Random) => string)[] = [
  (random) => pick(random, LINES),
  (random) => `${'#'.repeat(1 + random(6))} ${pick(random, LINES)}`,
  (random) => lines(random, () => `- ${pick(random, LINES)}`, pick(random, ['\n', '\n\n'])),
  (random) =>
    lines(random, (at) => `${at + 1}. ${pick(random, LINES)}`, pick(random, ['\n', '\n\n'])),
  (random) => lines(random, () => `1) ${pick(random, LINES)}\n\n   more`, '\n\n'),
  (random) =>
    lines(random, (at) => `${'  '.repeat(at % 3)}- [${pick(random, ['x', ' '])}] task`, '\n'),
  (random) => lines(random, () => `> ${pick(random, LINES)}`, pick(random, ['\n', '\n>\n'])),
  (random) =>
    `| a | b |\n|--:|:-:|\n${lines(random, () => `| ${pick(random, LINES)} | 1 |`, '\n')}`,
  (random) => createFence(random, ''),
  (random) => `- item\n\n${createFence(random, '  ')}`,
  () => `    indented\n\n    code`,
  (random) => `${pick(random, LINES)}\n${pick(random, ['===', '---', '***', '- - -'])}`,
  (random) =>
    pick(random, [
      '```',
      '~~~',
      '`````\nnever closed',
      '-',
      '1.',
      '|',
      '#',
      '>',
      '\n',
      '*',
      '[a]: https://a.example',
    ]),
];

function createFence(random: Random, indent: string): string {
  const mark = pick(random, ['`', '~']).repeat(3 + random(2));
  const body = lines(
    random,
    () => pick(random, ['let a = `b`;', '', '  x', '# no heading', '``', '~~']),
    '\n',
  );
  const close = pick(random, [mark, mark, mark, `${mark}  `, mark.slice(1)]);
  return [`${mark}${pick(random, LANGUAGES)}`, ...body.split('\n'), close]
    .map((line) => `${indent}${line}`)
    .join('\n');
}

function lines(random: Random, line: (at: number) => string, between: string): string {
  return Array.from({ length: 1 + random(4) }, (_, at) => line(at)).join(between);
}

function pick<Value>(
  random: Random,
  values: readonly [Value, ...Value[]] | readonly Value[],
): Value {
  const value = values[random(values.length)];
  if (value === undefined) throw new Error('Nothing to choose from.');
  return value;
}

/** The text in pieces of a random size, which may part any two code units. */
export function cutUp(random: Random, text: string): readonly string[] {
  const pieces: string[] = [];
  const most = 1 + random(60);
  for (let at = 0; at < text.length; ) {
    const size = 1 + random(most);
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}
