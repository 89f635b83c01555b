import { toVisible } from '../../base/text/visibleText.ts';
import type { UnreviewedItem } from '../../webview/messages/chatState.ts';
import type { ChatSession } from './chatSession.ts';
import type { PathLabel } from './toolItem.ts';

/** The list of files with unreviewed changes, by session. */
export interface UnreviewedList {
  of(sessionId: string): readonly Omit<UnreviewedItem, 'label'>[];
}

/** Shows the files with unreviewed changes in the chats of their sessions. */
export function showUnreviewed(
  chats: { readonly all: readonly ChatSession[] },
  list: UnreviewedList,
  label: PathLabel,
): void {
  for (const session of chats.all) {
    if (session.id === undefined) continue;
    const unreviewed = list.of(session.id).map(({ path, kind, added, removed, entry }) => ({
      path,
      label: label(path),
      kind,
      added,
      removed,
      ...(entry !== undefined && { entry: toVisible(entry).text }),
    }));
    const isSame = JSON.stringify(unreviewed) === JSON.stringify(session.state.unreviewed);
    if (!isSame) session.set({ unreviewed });
  }
}
