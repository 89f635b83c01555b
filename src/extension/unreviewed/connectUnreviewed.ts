import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { Translate } from '../text/translate.ts';
import { UnreviewedActions } from './unreviewedActions.ts';
import { UnreviewedHunks } from './unreviewedHunks.ts';
import { markUnreviewed } from './unreviewedMarks.ts';
import { createUnreviewedSources } from './unreviewedSources.ts';
import { showUnreviewedStatus } from './unreviewedStatus.ts';
import type { UnreviewedStore } from './unreviewedStore.ts';

export interface ConnectedUnreviewed extends vscode.Disposable {
  readonly actions: UnreviewedActions;
}

/** Creates the surfaces of changes that are on disk and await a review. */
export function connectUnreviewed(
  store: UnreviewedStore,
  link: HostLink,
  { announce, t }: { announce(text: string): void; readonly t: Translate },
): ConnectedUnreviewed {
  const owned = new DisposableStore();
  const hunks = new UnreviewedHunks(store);
  const mac = process.platform === 'darwin';
  owned.add(markUnreviewed({ store, hunks, mac, t }));
  owned.add(createUnreviewedSources(store, t));
  owned.add(showUnreviewedStatus(store, t));
  owned.add(link.onDidExit(() => store.clear()));
  const actions = new UnreviewedActions({
    ...{ store, hunks, announce, t },
    resolve: async (change) => (await link.connection()).call('resolveChanges', change),
  });
  owned.add(
    vscode.workspace.onDidSaveTextDocument(
      (document) => void actions.saved(document).catch(() => undefined),
    ),
  );
  return { actions, dispose: () => owned.dispose() };
}
