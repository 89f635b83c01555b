import type * as vscode from 'vscode';
import { toVisibleLine } from '../../base/text/visibleText.ts';
import type { PendingManifest } from '../../base/tools/toolRow.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import type { Translate } from '../text/translate.ts';

/** The parts of the editor and the host that the review uses. */
export interface ToolReviewParts {
  readonly window: Pick<typeof vscode.window, 'showInformationMessage' | 'showQuickPick'>;
  /** Shows a notice. Resolves with the button that the user chose. */
  notify(message: string, ...buttons: readonly string[]): Thenable<string | undefined>;
  readonly t: Translate;
  /** The manifests that the host reports as not accepted. */
  pending(): Promise<readonly PendingManifest[]>;
  accept(manifest: PendingManifest): Promise<void>;
  open(manifest: PendingManifest): Promise<void>;
  /** A function that shows the changes since the last acceptance; undefined if never accepted. */
  changes(manifest: PendingManifest): (() => Promise<void>) | undefined;
}

/** Asks the user to accept the workspace's declared tools, which can't run until accepted. */
export class ToolReview {
  readonly #parts: ToolReviewParts;
  readonly #asked = new Set<string>();

  constructor(parts: ToolReviewParts) {
    this.#parts = parts;
  }

  /** Announces each version of a manifest once. *Not Now* applies until the manifest changes. */
  async announce(): Promise<void> {
    const { notify, t } = this.#parts;
    const fresh = (await this.#parts.pending()).filter(({ hash }) => !this.#asked.has(hash));
    if (fresh.length === 0) return;
    for (const { hash } of fresh) this.#asked.add(hash);
    const review = t('Review…');
    const text = describePending(fresh, t);
    if ((await notify(text, review, t('Not Now'))) === review) await this.review();
  }

  /** Reviews every manifest that is not accepted. */
  async review(): Promise<void> {
    const { window, t, pending } = this.#parts;
    if ((await pending()).length > 0) return this.#pick();
    await window.showInformationMessage(t('No workspace tools to review.'));
  }

  async #pick(): Promise<void> {
    const { window, t } = this.#parts;
    for (const manifest of await this.#parts.pending()) {
      const showChanges = this.#parts.changes(manifest);
      const accept = {
        label: t('Accept'),
        detail:
          manifest.server === undefined
            ? t('Valid until the file or one of its programs changes.')
            : t('Valid until the server or one of its tools changes.'),
      };
      const open = { label: t('Open File') };
      const changed = { label: t('Show Changes') };
      const picked = await window.showQuickPick(
        [
          ...manifest.tools.map(({ id, runs, reachesAnyHost }) =>
            toPlainRow({
              label: toVisibleLine(id),
              detail: reachesAnyHost
                ? t('runs {0} · may reach any host', toVisibleLine(runs))
                : t('sends {0}', toVisibleLine(runs)),
              isTool: true,
            }),
          ),
          accept,
          ...(showChanges ? [changed] : []),
          open,
        ],
        {
          title: toTitle(manifest, t),
          placeHolder: t('Accept these tools?'),
          ignoreFocusOut: true,
        },
      );
      if (picked === undefined) return;
      if (picked === accept) await this.#parts.accept(manifest);
      else if (picked === changed) return showChanges?.();
      else return this.#parts.open(manifest);
    }
  }
}

function toTitle({ file, server }: PendingManifest, t: Translate): string {
  return server === undefined ? toVisibleLine(file) : t('MCP server {0}', toVisibleLine(server));
}

/** Names MCP servers, and the tools of manifests. */
function describePending(fresh: readonly PendingManifest[], t: Translate): string {
  const servers = fresh.flatMap(({ server }) => server ?? []);
  if (servers.length === fresh.length) {
    const shown = toList([...new Set(servers)]);
    return t(
      "MCP servers need your review: {0}. The agent can't use them until you accept them.",
      shown,
    );
  }
  const names = fresh.flatMap(({ tools }) => tools.map(({ id }) => id));
  return t(
    "This workspace declares tools that can run programs ({0}): {1}. The agent can't use them until you accept them.",
    names.length,
    toList(names),
  );
}

function toList(names: readonly string[]): string {
  return names.slice(0, 5).map(toVisibleLine).join(', ') + (names.length > 5 ? ', …' : '');
}
