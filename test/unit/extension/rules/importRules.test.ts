import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImportPreview, ImportQuery } from '../../../../src/acp/gatehouse/rules.ts';
import { reportLines } from '../../../../src/base/tools/importReport.ts';
import {
  type ImportRulesParts,
  importRules,
  toPreviewText,
} from '../../../../src/extension/rules/importRules.ts';
import { english } from '../english.ts';

const NPM = { permission: 'bash', pattern: 'npm test *', action: 'allow' } as const;
const MAKE = { permission: 'bash', pattern: 'make *', action: 'allow' } as const;
const SOURCE = { product: 'Claude Code', path: '/home/.claude/settings.json' };
const BOTH: ImportPreview = {
  searched: [SOURCE],
  files: [{ source: SOURCE, entries: 2 }],
  entries: [],
  rules: [
    { ...NPM, destination: 'user', hash: 'h1' },
    { ...MAKE, destination: 'workspace', hash: 'h2' },
  ],
};
const EMPTY: ImportPreview = { searched: [SOURCE], files: [], entries: [], rules: [] };

interface Scene {
  readonly previews?: readonly ImportPreview[];
  readonly folders?: readonly string[];
  /** The words of the row that the user picks each time. None: Escape. */
  readonly picks?: readonly string[];
  /** Patterns that the settings have by the time the rules are saved. */
  readonly there?: readonly string[];
}

/** Plays a user who picks rows by their labels. */
function play({ previews = [BOTH], folders = ['/w'], picks = [], there = [] }: Scene) {
  const done: string[] = [];
  const queries: ImportQuery[] = [];
  const left = [...picks];
  const rows: string[][] = [];
  const parts = {
    t: english,
    userSettings: '/u.json',
    folders: () => folders,
    preview: async (query: ImportQuery) => {
      queries.push(query);
      return previews[Math.min(queries.length, previews.length) - 1];
    },
    show: async () => void done.push('show'),
    save: async (rules: readonly (typeof NPM)[], destination: string) => {
      const added = rules.filter(({ pattern }) => !there.includes(pattern));
      done.push(`save ${destination} ${JSON.stringify(rules)}`);
      return added.map((rule) => ({ rule, destination, file: `/${destination}`, unsaved: false }));
    },
    configure: async () => void done.push('configure'),
    accept: async (file: string, hash: string) => void done.push(`accept ${file} ${hash}`),
    saved: ({ rule }: { rule: typeof NPM }) => void done.push(`saved ${rule.pattern}`),
    window: {
      showInformationMessage: async (message: string) => void done.push(message),
      showQuickPick: async (shown: readonly { label: string }[]) => {
        rows.push(shown.map(({ label }) => label));
        const label = left.shift();
        return shown.find((row) => label !== undefined && row.label.startsWith(label));
      },
    },
  } as unknown as ImportRulesParts;
  return { parts, done, rows, queries };
}

test('the rules are shown, confirmed, saved where they belong, and those of the workspace accepted', async () => {
  const { parts, done, rows, queries } = play({ picks: ['Import 2'] });
  await importRules(parts);
  assert.deepEqual(queries[0], { folder: '/w', userSettings: '/u.json' });
  assert.deepEqual(rows, [['Cancel', 'Import 2 Rules']]);
  assert.deepEqual(done, [
    'show',
    ...[`save user ${JSON.stringify([NPM])}`, 'saved npm test *', 'configure'],
    ...[`save workspace ${JSON.stringify([MAKE])}`, 'saved make *', 'configure'],
    'accept /workspace h2',
  ]);
});

for (const picks of [[], ['Cancel']]) {
  test(`${picks[0] ?? 'Escape'} saves nothing`, async () => {
    const { parts, done } = play({ picks });
    await importRules(parts);
    assert.deepEqual(done, ['show']);
  });
}

test('nothing to import is shown, and not asked about', async () => {
  const { parts, done, rows } = play({ previews: [EMPTY] });
  await importRules(parts);
  assert.deepEqual(done, ['show']);
  assert.deepEqual(rows, []);
});

test('settings that changed since the preview are shown again before anything is saved', async () => {
  const later = { ...BOTH, rules: BOTH.rules.slice(0, 1) };
  const picks = ['Import 2', 'Import 1 Rule'];
  const { parts, done } = play({ previews: [BOTH, later], picks });
  await importRules(parts);
  assert.equal(done[0], 'show');
  assert.match(done[1] ?? '', /^Settings changed since the preview/);
  assert.deepEqual(done.slice(2), [
    'show',
    ...[`save user ${JSON.stringify([NPM])}`, 'saved npm test *', 'configure'],
  ]);
});

test('a rule that was there is neither reported as saved nor accepted', async () => {
  const { parts, done } = play({ picks: ['Import 2'], there: ['make *'] });
  await importRules(parts);
  assert.ok(!done.some((line) => line.startsWith('accept') || line === 'saved make *'));
});

test('with several folders none is named, and the preview says why', async () => {
  const { parts, queries } = play({ folders: ['/a', '/b'] });
  await importRules(parts);
  assert.deepEqual(queries, [{ userSettings: '/u.json' }]);
  assert.match(toPreviewText(BOTH, 2, english), /^Several folders are open/);
});

test('the preview is what the command line prints, below what was not read', () => {
  const printed = `${reportLines(BOTH).join('\n')}\n`;
  assert.equal(toPreviewText(BOTH, 1, english), printed);
  const note = 'This workspace is not trusted, so only your own files were read.';
  const untrusted = toPreviewText({ ...EMPTY, untrusted: true }, 1, english);
  assert.equal(untrusted, `${note}\n\n${reportLines(EMPTY).join('\n')}\n`);
  assert.match(untrusted, /looked for:\n {2}Claude Code {2}\/home\/\.claude\/settings\.json\n$/);
});
