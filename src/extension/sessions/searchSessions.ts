import type * as vscode from 'vscode';
import type { SearchHit, SearchHits } from '../../acp/gatehouse/sessionList.ts';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import { ageText } from '../text/ageText.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import { toPlainLine } from '../text/plainMarkdown.ts';
import type { Translate } from '../text/translate.ts';
import { toTitle } from './sessionTree.ts';

export interface SearchParts {
  readonly window: Pick<typeof vscode.window, 'createQuickPick'>;
  readonly clock: Clock;
  readonly t: Translate;
  search(query: string): Promise<SearchHits>;
}

/** A message of a session. */
export interface ChosenMessage {
  readonly sessionId: string;
  readonly messageId: string;
}

interface HitRow extends vscode.QuickPickItem {
  readonly found?: ChosenMessage;
}

/** How long typing has to rest before the host searches, in milliseconds. */
const REST = 200;

/** Searches all transcripts while the user types. Resolves with the message that they chose. */
export function searchSessions({
  window,
  clock,
  t,
  search,
}: SearchParts): Promise<ChosenMessage | undefined> {
  const store = new DisposableStore();
  const pick = store.add(window.createQuickPick<HitRow>());
  pick.title = t('Search Sessions');
  pick.placeholder = t('Words of a message, or their beginnings');
  let timer: Disposable | undefined;
  let asked = 0;
  const ask = async (): Promise<void> => {
    asked += 1;
    const mine = asked;
    const query = pick.value.trim();
    const rows = query === '' ? [] : await readRows({ clock, t, search }, query);
    // The user has typed on, and these are the rows of another query.
    if (mine !== asked) return;
    pick.items = rows;
    pick.busy = false;
  };
  store.add(
    pick.onDidChangeValue(() => {
      timer?.dispose();
      asked += 1;
      pick.busy = pick.value.trim() !== '';
      timer = clock.after(REST, () => void ask());
    }),
  );
  return new Promise((resolve) => {
    const finish = (found?: ChosenMessage): void => {
      asked += 1;
      timer?.dispose();
      store.dispose();
      resolve(found);
    };
    store.add(
      pick.onDidAccept(() => {
        const [row] = pick.selectedItems;
        if (row?.found !== undefined) finish(row.found);
      }),
    );
    store.add(pick.onDidHide(() => finish()));
    pick.show();
  });
}

async function readRows(
  { clock, t, search }: Omit<SearchParts, 'window'>,
  query: string,
): Promise<readonly HitRow[]> {
  try {
    const { hits, indexing } = await search(query);
    const more = indexing ? [toLine(t('Indexing older messages…'))] : [];
    const none = hits.length === 0 ? [toLine(t('No matching messages'))] : [];
    return [...hits.map((hit) => toRow(hit, clock.now(), t)), ...none, ...more];
  } catch (error) {
    return [toLine(t('Could not search: {0}', getMessage(error)))];
  }
}

/** Rows are shown although VS Code finds other words in them: the host has matched beginnings of words. */
function toRow(
  { sessionId, messageId, title, snippet, updatedAt }: SearchHit,
  now: number,
  t: Translate,
) {
  return toPlainRow({
    label: toTitle({ title: title ?? '' }, t),
    description: ageText(Math.max(0, now - updatedAt), t),
    detail: toVisible(toPlainLine(snippet)).text,
    alwaysShow: true,
    found: { sessionId, messageId },
  });
}

function toLine(label: string): HitRow {
  return { ...toPlainRow({ label }), alwaysShow: true };
}
