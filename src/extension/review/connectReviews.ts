import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import type { UnreviewedStore } from '../unreviewed/unreviewedStore.ts';
import { isUnreviewed, toBeforeUri } from '../unreviewed/unreviewedUri.ts';
import { CallDiffs, type DiffEditor } from './callDiffs.ts';
import { readCurrent, watchCurrentFiles } from './editors/currentFiles.ts';
import { createHunkLenses } from './editors/hunkLenses.ts';
import { createLineComments, type LineComments } from './editors/lineComments.ts';
import { watchProposalDocuments } from './editors/proposalDocuments.ts';
import { ReviewDecisions } from './editors/reviewDecisions.ts';
import { findActiveReview, watchReviewEditor } from './editors/reviewStatus.ts';
import { Reviews } from './editors/reviews.ts';
import { type Review, ReviewTabs, toUri } from './editors/reviewTabs.ts';
import type { ProposedFile } from './proposal/proposedFile.ts';
import { ReviewFileSystem } from './proposal/reviewFileSystem.ts';
import { ReviewStorage } from './proposal/reviewStorage.ts';
import { ReviewStore } from './proposal/reviewStore.ts';
import { parseReviewUri, REVIEW_SCHEME, type ReviewAddress } from './proposal/reviewUri.ts';

export interface ReviewParts {
  /** Where reviews are stored: the workspace's storage, or that of the user without a workspace. */
  readonly folder: string;
  readonly editor: DiffEditor;
  readonly log: Pick<vscode.LogOutputChannel, 'error'>;
  readonly unreviewed: UnreviewedStore;
  /** Makes a screen reader say the text. */
  announce(text: string): void;
  readonly t: Translate;
}

export interface ConnectedReviews extends vscode.Disposable {
  readonly store: ReviewStore;
  readonly reviews: Reviews;
  readonly decisions: ReviewDecisions;
  readonly diffs: CallDiffs;
  readonly comments: LineComments;
  /** The pending review in the active editor. */
  active(): Review | undefined;
}

/** Creates the parts of a review: file system, documents, lenses, keys and status. */
export function connectReviews({
  folder,
  editor,
  log,
  unreviewed,
  announce,
  t,
}: ReviewParts): ConnectedReviews {
  const owned = new DisposableStore();
  const onError = tellNotStored(log, t);
  const storage = new ReviewStorage(path.join(folder, 'reviews'));
  const store = owned.add(new ReviewStore({ storage, clock: systemClock, onError }));
  const diffs = owned.add(new CallDiffs(editor));
  const files = owned.add(
    new ReviewFileSystem({ find: (at) => findText({ store, diffs, unreviewed }, at) }),
  );
  owned.add(
    vscode.workspace.registerFileSystemProvider(REVIEW_SCHEME, files, { isCaseSensitive: true }),
  );
  const tabs = new ReviewTabs(t);
  const comments: LineComments = owned.add(
    createLineComments({ t, find: (uri) => findPending(store, reviews, uri) }),
  );
  const reviews: Reviews = owned.add(
    new Reviews({
      ...{ store, tabs, readCurrent },
      takeComments: (review) => comments.take(review),
      textKept: (review) => tellTextKept(review, t),
    }),
  );
  const isPending = (file: ProposedFile) => reviews.withFile(file) !== undefined;
  const isTogether = (one: ProposedFile, other: ProposedFile) =>
    reviews.withFile(one) === reviews.withFile(other);
  const { onDidChange } = reviews;
  const decisions = owned.add(
    new ReviewDecisions({ store, isPending, isTogether, onDidChange, announce, t }),
  );
  owned.add(watchProposalDocuments(store, tabs));
  owned.add(
    watchCurrentFiles(reviews.onDidChange, () => reviews.pending.flatMap((review) => review.files)),
  );
  owned.add(store.onDidChange(updateSnapshots(files)));
  owned.add(unreviewed.onDidChange(updateUnreviewed(unreviewed, files)));
  const mac = process.platform === 'darwin';
  owned.add(createHunkLenses({ store, isPending, onDidChange, mac, t }));
  owned.add(watchReviewEditor({ store, reviews, t }));
  const active = () => findActiveReview({ store, reviews });
  const dispose = () => owned.dispose();
  return { store, reviews, decisions, diffs, comments, active, dispose };
}

/** The file of a proposal's document while its request is pending. */
function findPending(
  store: ReviewStore,
  reviews: Reviews,
  uri: vscode.Uri,
): ProposedFile | undefined {
  const address = parseReviewUri(uri);
  const file = address && store.get(address.call, address.path);
  return file && reviews.withFile(file) && file;
}

interface Texts {
  readonly store: ReviewStore;
  readonly diffs: CallDiffs;
  readonly unreviewed: UnreviewedStore;
}

async function findText(
  { store, diffs, unreviewed }: Texts,
  address: ReviewAddress,
): Promise<string | undefined> {
  const { call, path: file, side } = address;
  if (isUnreviewed(address)) {
    const entry = unreviewed.of(call.sessionId).find((each) => each.path === file);
    return entry && ((await unreviewed.versions(entry))?.before ?? '');
  }
  if (side === 'before' || side === 'after') return diffs.text(address);
  const found = await store.find(call, file);
  return side === 'current' ? found?.current : found?.text;
}

/** Tells VS Code when the left side of a review changed. */
function updateSnapshots(files: ReviewFileSystem) {
  const shown = new WeakMap<ProposedFile, string>();
  return ({ file }: { readonly file: ProposedFile }) => {
    const before = shown.get(file) ?? file.change.baseText;
    if (file.current === before) return;
    shown.set(file, file.current);
    files.changed(toUri(file.change, 'current'));
  };
}

/** Tells VS Code when the text before unreviewed changes is another one. */
function updateUnreviewed(store: UnreviewedStore, files: ReviewFileSystem) {
  let known = new Map<string, string>();
  return () => {
    const now = new Map<string, string>();
    for (const entry of store.all) {
      const uri = toBeforeUri(entry);
      now.set(uri.toString(), entry.revision);
      const before = known.get(uri.toString());
      if (before !== undefined && before !== entry.revision) files.changed(uri);
    }
    known = now;
  };
}

/** Logs each failure, and tells the user of the first. */
function tellNotStored(log: ReviewParts['log'], t: Translate): (error: unknown) => void {
  let told = false;
  return (error) => {
    const reason = error instanceof Error ? error.message : String(error);
    log.error(`Could not store a review: ${reason}`);
    if (told) return;
    told = true;
    void vscode.window.showWarningMessage(
      plainNotice(
        t(
          'What you type into proposals could not be stored ({0}). This window keeps it. Answer the request before you reload the window.',
          reason,
        ),
      ),
    );
  };
}

function tellTextKept({ files }: Review, t: Translate): void {
  const names = files.map(({ change }) => path.basename(change.path)).join(', ');
  void vscode.window.showWarningMessage(
    plainNotice(
      t(
        'The proposal for {0} was not applied. The text you typed into it is still in its tab.',
        names,
      ),
    ),
  );
}
