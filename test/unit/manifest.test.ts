import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../../src/extension/commands.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

interface Setting {
  readonly type: string | readonly string[];
  readonly default?: unknown;
  readonly scope?: string;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
}

interface Manifest {
  readonly engines: { readonly vscode: string };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly activationEvents?: readonly string[];
  readonly enabledApiProposals?: readonly string[];
  readonly extensionKind?: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: unknown;
      readonly restrictedConfigurations?: readonly string[];
    };
  };
  readonly contributes: {
    readonly commands: readonly { command: string; title: string; category?: string }[];
    readonly configuration: Section | readonly Section[];
    readonly keybindings?: readonly { command: string; key: string; when?: string }[];
  };
}

interface Section {
  readonly title?: string;
  readonly properties: Readonly<Record<string, Setting>>;
}

const TEXT = readFileSync(path.join(ROOT, 'package.json'), 'utf8');
const MANIFEST: Manifest = JSON.parse(TEXT);
const WORDS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(path.join(ROOT, 'package.nls.json'), 'utf8'),
);
const { commands, configuration, keybindings = [] } = MANIFEST.contributes;
const sections: readonly Section[] =
  'properties' in configuration ? [configuration] : configuration;
const settings = sections.flatMap(({ properties }) => Object.entries(properties));

test('the manifest and the code have the same commands', () => {
  assert.deepEqual(commands.map(({ command }) => command).sort(), Object.keys(COMMANDS).sort());
});

test('every command has a localised title and stands under Gatehouse', () => {
  const bare = commands.filter(
    ({ title, category = '' }) => !isLocalised(title) || words(category) !== 'Gatehouse',
  );
  assert.deepEqual(bare, []);
});

test('every setting says what it does, in the language of the user', () => {
  const bare = settings.filter(
    ([, { description, markdownDescription }]) =>
      !isLocalised(markdownDescription ?? description ?? ''),
  );
  assert.deepEqual(bare, []);
});

test('every choice of a setting is explained', () => {
  const bare = settings.filter(([, setting]) => {
    const texts = setting.markdownEnumDescriptions ?? setting.enumDescriptions ?? [];
    return (
      setting.enum !== undefined &&
      (texts.length !== setting.enum.length || !texts.every(isLocalised))
    );
  });
  assert.deepEqual(bare, []);
});

test('no setting is the prefix of another, which VS Code would drop without a word', () => {
  const keys = settings.map(([key]) => key);
  const nested = keys.filter((key) => keys.some((other) => other.startsWith(`${key}.`)));
  assert.deepEqual(nested, []);
});

test('every localised text exists, and none is left over', () => {
  const used = [...TEXT.matchAll(/"%([^%"]+)%"/g)].map(([, key = '']) => key);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(WORDS).sort());
});

test('Gatehouse is activated only when it is used', () => {
  const eager = (MANIFEST.activationEvents ?? []).filter((event) =>
    /^(\*|onStartupFinished)$/.test(event),
  );
  assert.deepEqual(eager, []);
});

test('the product uses no proposed API and the types of the oldest editor it supports', () => {
  assert.deepEqual(MANIFEST.enabledApiProposals ?? [], []);
  assert.equal(MANIFEST.engines.vscode, `^${MANIFEST.devDependencies['@types/vscode']}`);
});

test('an untrusted workspace cannot set what runs or what loosens', () => {
  const { supported, restrictedConfigurations = [] } = MANIFEST.capabilities.untrustedWorkspaces;
  assert.equal(supported, 'limited');
  assert.ok(
    restrictedConfigurations.includes('gatehouse.permissions'),
    restrictedConfigurations.join(),
  );
});

test('no key is taken everywhere, and Enter and Escape only in the chat', () => {
  const greedy = keybindings.filter(({ key, when = '' }) => {
    if (when === '') return !/\+/.test(key);
    return /^(enter|escape)$/i.test(key) && !/gatehouse/i.test(when);
  });
  assert.deepEqual(greedy, []);
});

test('every file the manifest names is in the repository', () => {
  const named = [...TEXT.matchAll(/"(?:\.\/)?((?:media|schemas|l10n)\/[^"]+)"/g)].map(
    ([, file = '']) => file,
  );
  assert.deepEqual(
    named.filter((file) => !existsSync(path.join(ROOT, file))),
    [],
  );
});

function isLocalised(text: string): boolean {
  return words(text) !== undefined && /^%.+%$/.test(text);
}

/** The English words of a text, `undefined` when its key has none. */
function words(text: string): string | undefined {
  const [, key] = /^%(.+)%$/.exec(text) ?? [];
  return key === undefined ? text : WORDS[key];
}
