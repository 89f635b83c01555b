import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { openRecorder } from '../../src/recorder/recorder.ts';
import { clickUntil, until } from '../workbench/processes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { oneHost, openScene, type Scene, traceOf } from './scene.ts';

const DAY = 24 * 60 * 60 * 1000;
const LONG = 'Find out why the nightly build of the language server fails on Windows, and mend it';
const WIDTHS = [220, 400, 900];

test('issue 15: the Sessions view can be read with two hundred sessions at any width', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench, chat, model } = scene;
  const end = Promise.withResolvers<void>();
  const titles = Array.from({ length: 198 }, (_, at) => `Session ${at} about something`);
  store(scene, [LONG, ...titles], 'Session 1 about something');
  model.script({ text: 'It runs. ', delayMs: 1000, until: end.promise });
  await chat.send('Run the tests');
  await workbench.run('Gatehouse: Focus on Sessions View');
  await row(scene, LONG).waitFor();
  await row(scene, 'Run the tests').waitFor();
  await look(scene, '200');
  end.resolve();
});

test('issue 15: the Sessions view can be read without a session at any width', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench } = scene;
  // Without sessions there is no view; those that come are another window's.
  const { pid } = await oneHost(scene);
  await until('an empty list', () => traceOf(pid).includes('"result":{"sessions":[]'));
  store(scene, [LONG, 'Another one']);
  await workbench.run('Gatehouse: Refresh Sessions');
  await workbench.run('Gatehouse: Focus on Sessions View');
  await row(scene, LONG).waitFor();
  await workbench.run('Gatehouse: Delete All Sessions…');
  const button = workbench.dialog.getByRole('button', { name: /of This Workspace$/ });
  await clickUntil('the end of the dialog', button, async () => !(await workbench.dialog.count()));
  await row(scene, LONG).waitFor({ state: 'detached' });
  await look(scene, 'none');
});

test('issue 15: the search of sessions can be read with hits and without', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench } = scene;
  store(
    scene,
    Array.from({ length: 12 }, (_, at) => (at === 1 ? LONG : `Session ${at} about \`a.ts\``)),
  );
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    for (const [name, words, row] of [
      ['hits', 'begin parser', 'Session '],
      ['none', 'zebra', 'No matching messages'],
    ] as const) {
      await workbench.run('Gatehouse: Search Sessions…');
      await workbench.quickInput.filter({ hasText: 'Search Sessions' }).waitFor();
      await workbench.quickInputBox.fill(words);
      await workbench.row(row).waitFor();
      for (const width of [...WIDTHS, 1400].slice(1)) {
        await workbench.page.setViewportSize({ width, height: 700 });
        if (name === 'none') assert.deepEqual(await workbench.page.evaluate(CUT), [], `${width}`);
        await workbench.screenshot(`sessions-look-search-${name}-${theme}-${width}`);
      }
      await workbench.hideQuickInput();
    }
  }
});

function row({ workbench }: Scene, name: string) {
  return workbench.page.getByRole('treeitem', { name: new RegExp(`^${name}`) }).first();
}

/** Stores sessions of the folder as another window of the user does, each some hours older. */
function store({ server, sample }: Scene, titles: readonly string[], pinned?: string): void {
  const data = path.join(server.home, 'data/User/globalStorage/gatehouse.gatehouse');
  const recorder = openRecorder(path.join(data, 'state/gatehouse.db'));
  const now = Date.now();
  recorder.together(() => {
    for (const [at, title] of titles.entries()) {
      const { id } = recorder.createSession({ agent: 'gatehouse', cwd: sample.folder });
      recorder.addUserMessage(id, [{ type: 'text', text: `${title}: begin with the parser` }]);
      recorder.setTitle(id, title);
      if (title === pinned) recorder.setPinned(id, true);
      recorder.store.database.run(
        'UPDATE chat_sessions SET updated_at = ? WHERE id = ?',
        now - (at * DAY) / 12,
        id,
      );
    }
  });
  recorder.close();
}

/** What is cut off, lies outside of the view, or has no name. */
const FAULTS = `(() => {
  const box = document.querySelector('.part.sidebar').getBoundingClientRect();
  const header = [...document.querySelectorAll('.part.sidebar .pane-header')].find((each) =>
    /Sessions/.test(each.getAttribute('aria-label') ?? ''),
  );
  const pane = header?.closest('.pane');
  if (pane === undefined || pane === null) return ['no view'];
  const rows = [...pane.querySelectorAll('.monaco-list-row')];
  const outside = [...pane.querySelectorAll('.monaco-list-row, .pane-body, .welcome-view-content')]
    .filter((each) => each.getBoundingClientRect().right > box.right + 1);
  const unnamed = rows.filter((each) => !each.getAttribute('aria-label'));
  const narrow = rows.filter((each) => {
    const label = each.querySelector('.label-name');
    return label !== null && label.getBoundingClientRect().width < 20;
  });
  const silent = [...pane.querySelectorAll('.pane-header .action-label')].filter(
    (each) => !each.getAttribute('aria-label'),
  );
  return [...outside, ...unnamed, ...narrow, ...silent].map((each) => each.outerHTML.slice(0, 200));
})()`;

/** The rows of the quick pick that end in an ellipsis. */
const CUT = `[...document.querySelectorAll('.quick-input-list .monaco-list-row')]
  .filter((row) => [...row.querySelectorAll('.monaco-icon-label-container')].some((each) => each.scrollWidth > each.clientWidth))
  .map((row) => row.getAttribute('aria-label'))`;

async function look({ workbench }: Scene, name: string): Promise<void> {
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    for (const width of WIDTHS) {
      await workbench.resizeSideBar(width);
      await until(`the view at ${width}`, async () => {
        const faults = await workbench.page.evaluate(FAULTS);
        return Array.isArray(faults) && !faults.includes('no view');
      });
      assert.deepEqual(await workbench.page.evaluate(FAULTS), [], `${name} at ${width}`);
      await workbench.screenshot(`sessions-look-${name}-${theme}-${width}`);
    }
  }
}
