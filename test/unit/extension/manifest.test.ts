import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { SETTINGS, type SettingSchema } from '../../../src/base/settings.ts';
import { DIALECT_IDS, getDialectFacts } from '../../../src/base/tools/dialectFacts.ts';
import { COMMANDS } from '../../../src/extension/commands.ts';
import { webviewStrings } from '../../../src/extension/text/webviewStrings.ts';
import { english } from './english.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const { contributes, capabilities, icon, ...manifest } = JSON.parse(read('package.json'));
const texts: Record<string, string> = JSON.parse(read('package.nls.json'));
const properties: Record<string, Record<string, unknown>> = Object.assign(
  {},
  ...contributes.configuration.map((group: { properties: object }) => group.properties),
);

test('the commands of the manifest are those of the table', () => {
  const declared = contributes.commands.map(({ command }: { command: string }) => command);
  assert.deepEqual([...declared].sort(), Object.keys(COMMANDS).sort());
});

test('the chat is headed once by the container, and Tools is hidden until some are declared', () => {
  const [{ id, title }] = contributes.viewsContainers.activitybar;
  const views: { id: string; name: string; when?: string }[] = contributes.views[id];
  const [chat] = views;
  assert.deepEqual([title, texts[String(chat?.name).slice(1, -1)]], ['Gatehouse', 'Chat']);
  const tools = views.find((view) => view.id === 'gatehouse.tools');
  assert.equal(tools?.when, 'gatehouse.declaresTools');
});

test('the chat gets more of the side bar than the lists beside it together', () => {
  const [{ id }] = contributes.viewsContainers.activitybar;
  const views: { initialSize?: number }[] = contributes.views[id];
  const [chat = 0, ...lists] = views.map(({ initialSize = 20 }) => initialSize);
  assert.ok(chat > lists.reduce((sum, each) => sum + each, 0), `${chat} beside ${lists}`);
});

test('the manifest declares the settings of the schema, with their types, defaults and bounds', () => {
  const declared = Object.entries(properties).map(([key, property]) => [key, toFacts(property)]);
  const schema = Object.entries(SETTINGS).map(([key, each]) => [
    `gatehouse.${key}`,
    toProperty(each),
  ]);
  assert.deepEqual(Object.fromEntries(declared), Object.fromEntries(schema));
});

/** The part of a setting in package.json that the schema defines. */
function toFacts({
  type,
  default: value,
  minimum,
  maximum,
  items,
  ...more
}: Record<string, unknown>) {
  return {
    type,
    default: value,
    minimum,
    maximum,
    enum: more['enum'] ?? (items as Record<string, unknown> | undefined)?.['enum'],
  };
}

function toProperty(schema: SettingSchema): ReturnType<typeof toFacts> {
  // Gatehouse reports what is wrong with rules, and the editor must not report the same again.
  const anything = ['array', 'object', 'string', 'number', 'boolean', 'null'];
  const type = { enum: 'string', list: 'array', rules: anything }[schema.type as string];
  const { default: value } = schema;
  return {
    type: type ?? schema.type,
    default: value,
    minimum: 'minimum' in schema ? schema.minimum : undefined,
    maximum: schema.type === 'integer' ? schema.maximum : undefined,
    enum: 'values' in schema ? schema.values : undefined,
  };
}

test('no setting is a prefix of another, because VS Code would ignore it', () => {
  const keys = Object.keys(properties);
  const clashes = keys.filter((key) => keys.some((other) => other.startsWith(`${key}.`)));
  assert.deepEqual(clashes, []);
});

test('a workspace can change neither the model nor a limit', () => {
  const open = Object.entries(properties).filter(
    ([key, { scope }]) => /\.(model|limits|webSearch|ask)\./.test(key) && scope !== 'application',
  );
  assert.deepEqual(open, []);
});

test('rules of an untrusted workspace are not read', () => {
  const { supported, restrictedConfigurations } = capabilities.untrustedWorkspaces;
  assert.equal(supported, 'limited');
  assert.ok(restrictedConfigurations.includes('gatehouse.permissions'));
});

test('only views, commands, restored reviews and chats, links and possible manifests activate Gatehouse', () => {
  const others = manifest.activationEvents.filter(
    (event: string) => !event.startsWith('onLanguage:'),
  );
  assert.deepEqual(others, [
    ...['onFileSystem:gatehouse-review', 'onFileSystem:gatehouse-rules'],
    ...['onUri', 'onWebviewPanel:gatehouse.chatEditor'],
  ]);
});

test('every string of package.json is localized, and none is unused', () => {
  const used = JSON.stringify({ contributes, capabilities, manifest }).matchAll(/"%([^%"]+)%"/g);
  const keys = [...new Set([...used].map(([, key = '']) => key))];
  assert.deepEqual(keys.sort(), Object.keys(texts).sort());
});

test('icons and pictures that the manifest names exist', () => {
  const [container] = contributes.viewsContainers.activitybar;
  for (const file of [icon, container.icon])
    assert.ok(readFileSync(path.join(ROOT, file)).length > 0);
});

test('the l10n bundle contains exactly the strings of the code', () => {
  const folder = path.join(ROOT, 'src/extension');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const used = sources.flatMap((source) => [
    ...source.matchAll(/\bt\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g),
  ]);
  const keys = used.map(([, single, double]) =>
    (single ?? double ?? '').replace(/\\(['"])/g, '$1'),
  );
  const ofDialects = DIALECT_IDS.map(getDialectFacts).flatMap(
    ({ runs, nameQuestion, toolQuestion }) => [
      runs,
      ...[nameQuestion, toolQuestion].flatMap((each) => (each ? [each.prompt, each.rule] : [])),
    ],
  );
  const bundle: Record<string, string> = JSON.parse(read('l10n/bundle.l10n.json'));
  assert.deepEqual(Object.keys(bundle).sort(), [...new Set([...keys, ...ofDialects])].sort());
});

interface Key {
  readonly command: string;
  readonly key: string;
  readonly mac?: string;
}

test('each key has a form for macOS, where Option with a letter types it and Ctrl+Option is taken', () => {
  const keys: readonly Key[] = contributes.keybindings;
  const forms = keys.map(({ command, key, mac = key }) => [`${command} ${key}`, mac] as const);
  assert.deepEqual(Object.fromEntries(forms), {
    'gatehouse.focusPending ctrl+alt+p': 'cmd+alt+p',
    'gatehouse.hideRequest escape': 'escape',
    'gatehouse.keepChange alt+y': 'cmd+alt+y',
    'gatehouse.rejectChange alt+n': 'cmd+alt+n',
    'gatehouse.keepSelectedLines alt+y': 'cmd+alt+y',
    'gatehouse.rejectSelectedLines alt+n': 'cmd+alt+n',
    'runCommands ctrl+alt+enter': 'cmd+alt+enter',
    'gatehouse.nextChange alt+f5': 'alt+f5',
    'gatehouse.previousChange shift+alt+f5': 'shift+alt+f5',
    'gatehouse.undoChangeDecision ctrl+z': 'cmd+z',
    'workbench.action.files.saveWithoutFormatting ctrl+s': 'cmd+s',
    'gatehouse.keepWritten alt+y': 'cmd+alt+y',
    'gatehouse.undoWritten alt+n': 'cmd+alt+n',
    'gatehouse.nextWritten alt+f5': 'alt+f5',
    'gatehouse.previousWritten shift+alt+f5': 'shift+alt+f5',
    'gatehouse.reopenSession ctrl+shift+t': 'cmd+shift+t',
    'gatehouse.renameSession f2': 'f2',
    'gatehouse.deleteSession delete': 'cmd+backspace',
  });
  for (const [name, mac] of forms) {
    assert.doesNotMatch(mac, /ctrl\+alt/, name);
    assert.doesNotMatch(mac, /^(shift\+)?alt\+[a-z]$/, name);
  }
});

test('every key of a review works only while its editor has the focus', () => {
  const keys: readonly (Key & { readonly when: string })[] = contributes.keybindings;
  for (const { command, key, when } of keys) {
    const wanted = {
      'ctrl+alt+p': 'gatehouse.waiting',
      escape: 'gatehouse.requestPick',
      'ctrl+shift+t': 'gatehouse.chat',
      f2: 'focusedView == gatehouse.sessions && listFocus',
      delete: 'focusedView == gatehouse.sessions && listFocus',
    }[key];
    assert.ok(when.includes(wanted ?? 'editorTextFocus'), `${command}: ${when}`);
  }
});

test('every string of the chat is defined', () => {
  const keys = [...read('src/webview/messages/stringKeys.ts').matchAll(/\| '(\w+)'/g)].map(
    ([, key]) => key,
  );
  assert.deepEqual(Object.keys(webviewStrings(english)).sort(), keys.sort());
});

test('every string of the chat is used', () => {
  const keys = [...read('src/webview/messages/stringKeys.ts').matchAll(/\| '(\w+)'/g)].map(
    ([, key]) => key,
  );
  const shown = readdirSync(path.join(ROOT, 'src/webview'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('stringKeys.ts'))
    .map((name) => read(`src/webview/${name}`))
    .join('');
  assert.deepEqual(
    keys.filter((key) => !shown.includes(`'${key}'`)),
    [],
  );
});

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

test('what a button of a row does is in its menu too, which the keyboard opens', () => {
  const rows: { command: string; when: string; group: string }[] =
    contributes.menus['view/item/context'];
  const isButton = ({ group }: { group: string }) => group.startsWith('inline');
  const inMenus = rows.filter((row) => !isButton(row)).map(({ command, when }) => command + when);
  const missing = rows
    .filter((row) => isButton(row) && !inMenus.includes(row.command + row.when))
    .map(({ command }) => command);
  assert.deepEqual(missing, []);
});

test('the menu Gatehouse stands in the explorer, editors, source control and terminals, where there is something to attach', () => {
  const places = Object.entries<{ submenu?: string; when?: string }[]>(contributes.menus).flatMap(
    ([place, entries]) =>
      entries.flatMap(({ submenu, when }) =>
        submenu === undefined ? [] : [[place, submenu, when]],
      ),
  );
  const git = 'scmProvider == git';
  assert.deepEqual(places.sort(), [
    ['editor/context', 'gatehouse.add', 'resourceScheme == file'],
    ['explorer/context', 'gatehouse.add', 'resourceScheme == file'],
    ['scm/resourceFolder/context', 'gatehouse.add', git],
    ['scm/resourceGroup/context', 'gatehouse.add', git],
    ['scm/resourceState/context', 'gatehouse.add', git],
    ['terminal/context', 'gatehouse.terminal', undefined],
  ]);
  const commands = (menu: string) =>
    contributes.menus[menu].map(({ command }: { command: string }) => command);
  assert.deepEqual(commands('gatehouse.add'), ['gatehouse.addToChat']);
  assert.deepEqual(commands('gatehouse.terminal'), [
    'gatehouse.addTerminalToChat',
    'gatehouse.explainLastCommand',
  ]);
  const titles = contributes.submenus.map(({ label }: { label: string }) => label);
  assert.deepEqual(titles, ['Gatehouse', 'Gatehouse']);
});

test('what opens the settings editor names settings that exist', () => {
  const folder = path.join(ROOT, 'src/extension');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const queries = sources.flatMap((text) => [
    ...text.matchAll(/openSettings',\s*'(?:@id:)?(gatehouse\.[^']+)'/g),
  ]);
  const named = queries.flatMap(([, ids = '']) => ids.split(','));
  assert.ok(named.includes('gatehouse.limits.sessionCost'));
  assert.deepEqual(
    named.filter((id) => !Object.hasOwn(properties, id)),
    [],
  );
});

/** `JSON.parse` takes the last of equal keys silently. */
function listRepeated(file: string): readonly string[] {
  const keys = [...read(file).matchAll(/^ {2}("[^"]+"):/gm)].map(([, key = '']) => key);
  return keys.filter((key, at) => keys.indexOf(key) !== at);
}

test('no text is written twice, of which the first would have no effect', () => {
  assert.deepEqual(listRepeated('package.nls.json'), []);
  assert.deepEqual(listRepeated('l10n/bundle.l10n.json'), []);
});
