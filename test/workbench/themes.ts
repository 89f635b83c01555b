import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from './paths.ts';
import type { Theme } from './workbench.ts';

interface Colors {
  /** Of the page's body. */
  readonly className: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** What VS Code gave a page of ours in its four standard themes, of the variables that the page uses. */
const COLORS: Readonly<Record<Theme, Colors>> = JSON.parse(
  readFileSync(path.join(ROOT, 'test/fixtures/themes.json'), 'utf8'),
);

/** Draws a page without the editor in the colors of a theme. */
export async function themed(page: Page, theme: Theme): Promise<void> {
  await page.evaluate(({ className, variables }) => {
    document.body.className = className;
    for (const [name, value] of Object.entries(variables)) {
      document.documentElement.style.setProperty(name, value);
    }
  }, COLORS[theme]);
}
