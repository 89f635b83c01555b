import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getMessage } from '../../../base/faults.ts';
import type { Translate } from '../../text/translate.ts';

/** The texts of what the page runs and draws first. They stand in its HTML. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
  /** The script of a page that shows a kept screen first. */
  readonly lastScreen: string;
}

/**
 * Reads them from `dist/webview`, at once as the extension itself is loaded: while a window opens,
 * whatever waits for another turn of this thread waits for all other extensions. Throws what the user is
 * told.
 */
export function readPageFiles(folder: string, t: Translate): PageFiles {
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  try {
    return {
      script: read('webview.js'),
      style: read('webview.css'),
      lastScreen: read('lastScreen.js'),
    };
  } catch (error) {
    throw new Error(
      t(
        'Gatehouse could not read the files of the chat, so it is not shown. Sessions and unsent messages are kept. Reinstall Gatehouse, then reload the window. ({0})',
        getMessage(error),
      ),
    );
  }
}
