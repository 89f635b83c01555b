import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { ToolDiff } from '../../webview/messages/diff.ts';
import type { Asks } from '../asks/asks.ts';
import type { Chats } from './chats.ts';
import { toDiffRows, toDocumentRows } from './toolItem.ts';

/** A file under review. */
export interface FileOnCard {
  readonly change: {
    readonly call: { readonly sessionId: string; readonly toolCallId: string };
    readonly path: string;
    readonly kind: string;
  };
  /** The file as it is now. */
  readonly current: string;
  /** The proposal as the user left it. */
  readonly text: string;
  /** The user changed or rejected something. */
  readonly edited: boolean;
}

type Listen<Value> = (listener: (value: Value) => void) => Disposable;

export interface ProposalCardParts {
  readonly chats: Pick<Chats, 'withId'>;
  readonly asks: Pick<Asks, 'onDidChange' | 'pending' | 'update'>;
  readonly clock: Clock;
  readonly onDidChangeFile: Listen<{ readonly file: FileOnCard }>;
  /** The files of a pending request; empty if it has no review. */
  files(askId: string): readonly FileOnCard[];
}

/** Milliseconds without a change of a proposal until its card follows. */
export const CARD_DELAY = 300;

/** Shows on the cards of proposals what the user made of them, also what was restored after a reload. */
export function followProposals(parts: ProposalCardParts): Disposable {
  const { asks, clock } = parts;
  const store = new DisposableStore();
  const due = new Set<FileOnCard>();
  let timer: Disposable | undefined;
  let known: ReadonlySet<string> = new Set();
  store.add({ dispose: () => timer?.dispose() });
  store.add(
    parts.onDidChangeFile(({ file }) => {
      due.add(file);
      timer?.dispose();
      timer = clock.after(CARD_DELAY, () => {
        const files = [...due];
        due.clear();
        for (const each of files) updateCards(parts, each);
      });
    }),
  );
  store.add(
    asks.onDidChange(() => {
      const before = known;
      known = new Set(asks.pending.map(({ ask }) => ask.id));
      const files = [...known].filter((id) => !before.has(id)).flatMap(parts.files);
      for (const file of files) if (file.edited) updateCards(parts, file);
    }),
  );
  return store;
}

/** Shows the file's proposal in its request and in the card of its call, while the request is pending. */
function updateCards({ chats, asks, files }: ProposalCardParts, file: FileOnCard): void {
  const pending = asks.pending.find(({ ask }) => files(ask.id).includes(file));
  if (pending?.ask.kind !== 'permission') return;
  const { call, path, kind } = file.change;
  const rows =
    kind === 'document' ? toDocumentRows(file.text) : toDiffRows(file.current, file.text);
  const update = (diffs: readonly ToolDiff[]) =>
    diffs.map((diff) => (diff.path === path ? { ...diff, ...rows } : diff));
  asks.update({ ...pending.ask, diffs: update(pending.ask.diffs) });
  const session = chats.withId(call.sessionId);
  const item = session?.tool(call.toolCallId);
  if (item === undefined) return;
  const { diffs, proposed = diffs } = item;
  session?.apply({ type: 'item', item: { ...item, diffs: update(diffs), proposed } });
}
