/** Draws from [0, 1). */
export type Random = () => number;

export function pick<Item>(items: readonly [Item, ...Item[]], random: Random): Item;
export function pick(items: readonly string[], random: Random): string;
export function pick<Item>(items: readonly Item[], random: Random): Item | string {
  return items[Math.floor(random() * items.length)] ?? '';
}

/** Files and folders of the bed without secrets. Most words name one, so that many lines are allowed. */
const HARMLESS: readonly string[] = [
  ...[
    'a.txt',
    'a.txt',
    'b.txt',
    'b c.txt',
    'plain',
    'plain',
    'plain/a.txt',
    'plain/sub',
    'README.md',
  ],
  ...[
    'plain2',
    'data.json',
    'data.yml',
    'x.tar',
    'x.tgz',
    'z.gz',
    'z.xz',
    'z.bz2',
    '[ab].txt',
    'dir',
  ],
  ...[
    '{a,b}.txt',
    'x\\y.txt',
    'src/main.ts',
    'list',
    'list0',
    'patterns',
    'sums',
    '.hidden',
    '.hidden/x.txt',
    'moved2.txt',
  ],
];

/** Folders with secrets, secrets and other names of them, and files outside the workspace. */
const SECRETS: readonly string[] = [
  ...['.', 'src', 'src/sub', 'src/sub/x.txt', '-r', 'linked', 'linked/a.txt', 'ignored', '.git'],
  ...[
    '.env',
    '.env',
    'src/.env',
    'secret',
    'secret/key.txt',
    'cert.pem',
    '.env.local',
    'src/sub/deep/.env',
  ],
  ...[
    'envlink',
    'out',
    'out/secret.txt',
    'out.txt',
    'src/up',
    'tosecret/key.txt',
    'linked/env.txt',
    'old/.env',
  ],
  ...[
    '..',
    '../outside',
    '../outside/secret.txt',
    '../home/x.txt',
    '../x.txt',
    'src/sub/out/secret.txt',
  ],
];

function pickTarget(random: Random): string {
  return pick(random() < 0.7 ? HARMLESS : SECRETS, random);
}

/** Words with a meaning of their own. */
const SPECIAL: readonly string[] = [
  '-',
  '--',
  '',
  '*',
  '.*',
  '**',
  '*/*',
  './*',
  '~',
  '?',
  '[.]env',
];

/** A word of a command line that names something of the bed, in any of the forms that bash expands. */
export function makeWord(random: Random): string {
  if (random() < 0.05) return pick(SPECIAL, random);
  return shape(pickTarget(random), random);
}

/** The name, or a pattern of the name, for a program that expands patterns itself. */
export function makeName(random: Random): string {
  return quote(warp(pick(random() < 0.5 ? SECRETS : HARMLESS, random), random), random);
}

function shape(target: string, random: Random): string {
  const chance = random();
  if (chance < 0.6) return quote(target, random);
  if (chance < 0.72) return quote(detour(target, random), random);
  if (chance < 0.84) return warp(escapeBlank(target), random);
  if (chance < 0.92) return braces(escapeBlank(target), random);
  return `${pick(['"$PWD"/', '$PWD/', '~+/', './', '"./"', '$(pwd)/'], random)}${escapeBlank(target)}`;
}

function escapeBlank(target: string): string {
  return target.replace(/[ \\{}[\]]/g, '\\$&');
}

/** Another path to the same. */
function detour(target: string, random: Random): string {
  const ways = [
    './X',
    './/X',
    'plain/../X',
    'src/./../X',
    'dir/../X',
    'src/sub/../../X',
    'X/',
    'X/.',
    'X/..',
  ];
  return pick(
    [...ways, 'src/up/X', '../work/X', 'nothere/../X', 'out/../work/X', 'a.txt/../X'],
    random,
  ).replace('X', target);
}

/** A pattern that matches the name, in one of its characters or in all. */
export function warp(target: string, random: Random): string {
  const at = Math.floor(random() * (target.length + 1));
  const [head, letter, tail] = [
    target.slice(0, at),
    target.slice(at, at + 1),
    target.slice(at + 1),
  ];
  if (letter === '/' || letter === '')
    return pick([`${head}*`, target, `**/${target}`, `./${target}`], random);
  const ways = [
    '?',
    '*',
    `[${letter}]`,
    `[!z]`,
    `[^z]`,
    `[a-z.]`,
    `\\${letter}`,
    `[${letter}-${letter}]`,
  ];
  const whole = [
    `**/${target}`,
    `*${target.slice(-3)}`,
    `${target.slice(0, 2)}*`,
    target.toUpperCase(),
    `/${target}`,
  ];
  const lists = [
    `${head}{${letter},z}${tail}`,
    `{${target},z}`,
    `${head}{z,${letter}${tail}}`,
    `${head}@(${letter})${tail}`,
  ];
  return random() < 0.6
    ? head + pick(ways, random) + tail
    : pick([...whole, ...lists, `!${target}`, `${target}/**`, `${target}/`], random);
}

function braces(target: string, random: Random): string {
  const at = Math.floor(random() * (target.length + 1));
  const [head, tail] = [target.slice(0, at), target.slice(at)];
  return pick(
    [
      `{${target},a.txt}`,
      `${head}{${tail},}`,
      `${head}{z,${tail}}`,
      `{a,b}.txt`,
      `{a..c}.txt`,
      `${head}{${tail}}`,
      `{,plain/}${target}`,
      `${head}""${tail}`,
    ],
    random,
  );
}

/** The same word for bash, quoted in one of its ways. */
export function quote(text: string, random: Random): string {
  const chance = random();
  const plain = /^[\w./:=@%+,^-]+$/.test(text);
  if (plain && chance < 0.75) return text;
  if (chance < 0.85 && !text.includes("'")) return `'${text}'`;
  if (chance < 0.92) return `"${text.replace(/[\\"$`]/g, '\\$&')}"`;
  if (chance < 0.96 && !/['\n]/.test(text)) return `$'${text.replaceAll('\\', '\\\\')}'`;
  return text.replace(/[^\w./-]/g, '\\$&') || "''";
}
