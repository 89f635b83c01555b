import type { Locator } from 'playwright-core';
import { again, LOST } from '../workbench/processes.ts';
import { edit, prepareFiles } from './reviewMode.ts';
import type { Scene } from './scene.ts';

/** A code lens of a change that is on disk, by its text. */
export function writtenLens({ workbench }: Pick<Scene, 'workbench'>, text: string): Locator {
  return workbench.page.locator('.codelens-decoration a', { hasText: text });
}

/** The chat's list of files with changes that are on disk and not reviewed. */
export function writtenList({ chat }: Pick<Scene, 'chat'>): Locator {
  return chat.frame.getByRole('region', { name: 'Unreviewed changes' });
}

/** Opens a file from the chat's list, at its first change. */
export async function openWritten(
  scene: Pick<Scene, 'workbench' | 'chat'>,
  file: string,
): Promise<void> {
  const list = writtenList(scene);
  await list.waitFor();
  const button = list.getByRole('button', { name: file, exact: true });
  await again(
    `the file ${file}`,
    async () => {
      if (!(await button.isVisible())) await list.locator('summary').click({ timeout: LOST });
      await button.click({ timeout: LOST });
    },
    () => scene.workbench.page.locator('.tab.active', { hasText: file }).isVisible(),
  );
  await writtenLens(scene, 'Undo').first().waitFor();
}

/** Has the agent write two changes of one file, in a window in mode *afterwards*. Returns what reads a file. */
export async function writeTwoChanges(scene: Scene): Promise<(file: string) => string> {
  const { chat, model } = scene;
  const text = prepareFiles(scene);
  model.script(
    { calls: [edit('one.txt', 'first of', 'FIRST of'), edit('one.txt', 'third', 'THIRD')] },
    { text: 'Changed.' },
  );
  await chat.send('change it');
  await chat.said('Changed.');
  await writtenList(scene).waitFor();
  return text;
}
