import type * as vscode from 'vscode';
import { toVisible, toVisibleLine } from '../../base/text/visibleText.ts';
import type { PendingManifest } from '../../base/tools/toolRow.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import { toPlainText } from '../text/plainMarkdown.ts';
import type { Translate } from '../text/translate.ts';

/** The parts of the editor and the host that the review uses. */
export interface ToolReviewParts {
  readonly window: Pick<typeof vscode.window, 'showInformationMessage' | 'createQuickPick'>;
  /** Shows a notice. Resolves with the button that the user chose. */
  notify(message: string, ...buttons: readonly string[]): Thenable<string | undefined>;
  readonly t: Translate;
  /** The manifests that the host reports as not accepted. */
  pending(): Promise<readonly PendingManifest[]>;
  accept(manifest: PendingManifest): Promise<void>;
  open(manifest: PendingManifest): Promise<void>;
  /** Opens a read-only document. Whether the user closed it to go on with the review. */
  read(title: string, text: string): Promise<boolean>;
  /** A function that shows the changes since the last acceptance; undefined if never accepted. */
  changes(manifest: PendingManifest): (() => Promise<void>) | undefined;
}

/** Asks the user to accept the workspace's declared tools, which can't run until accepted. */
export class ToolReview {
  readonly #parts: ToolReviewParts;
  readonly #asked = new Set<string>();
  /** Counts the reviews: a document that is closed later must not go on with an earlier one. */
  #round = 0;

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

  /** Reviews every manifest that is not accepted, and then what an accepted server offers. */
  async review(): Promise<void> {
    const { window, t } = this.#parts;
    this.#round += 1;
    const seen = new Set<string>();
    const next = async () => (await this.#parts.pending()).find(({ hash }) => !seen.has(hash));
    const first = await next();
    if (first === undefined) {
      await window.showInformationMessage(t('No workspace tools to review.'));
    }
    for (let manifest = first; manifest !== undefined; manifest = await next()) {
      seen.add(manifest.hash);
      this.#asked.add(manifest.hash);
      if (!(await this.#reviewOne(manifest))) return;
    }
  }

  /** Whether the user accepted it. */
  async #reviewOne(manifest: PendingManifest): Promise<boolean> {
    const { t, changes, accept, open, read } = this.#parts;
    const round = this.#round;
    const showChanges = changes(manifest);
    const rows = {
      accept: { label: t('Accept'), detail: toValidity(manifest, t) },
      changes: { label: t('Show Changes') },
      open: { label: t('Open File') },
    };
    const tools = manifest.tools.map((tool) => toToolRow(tool, t));
    const all = [...tools, rows.accept, ...(showChanges ? [rows.changes] : []), rows.open];
    let picked = await this.#pick(all, manifest);
    for (;;) {
      const at = tools.findIndex((row) => row === picked);
      const tool = manifest.tools[at];
      if (tool === undefined || manifest.server === undefined) break;
      const goesOn = await read(toVisibleLine(tool.id), toToolText(tool, t));
      if (!goesOn || round !== this.#round) return false;
      picked = await this.#pick(all, manifest, tools[at]);
    }
    if (picked === rows.accept) await accept(manifest);
    else if (picked === rows.changes) await showChanges?.();
    else if (picked !== undefined) await open(manifest);
    return picked === rows.accept;
  }

  /** @param active the row that has the focus at first; else the first one */
  #pick<Row extends vscode.QuickPickItem>(
    rows: readonly Row[],
    manifest: PendingManifest,
    active?: Row,
  ): Promise<Row | undefined> {
    const { window, t } = this.#parts;
    const pick = window.createQuickPick<Row>();
    pick.title = toTitle(manifest, t);
    pick.placeholder = isEntry(manifest) ? t('Accept this server?') : t('Accept these tools?');
    pick.ignoreFocusOut = true;
    pick.items = rows;
    if (active !== undefined) pick.activeItems = [active];
    return new Promise((resolve) => {
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]);
        pick.hide();
      });
      pick.onDidHide(() => {
        resolve(undefined);
        pick.dispose();
      });
      pick.show();
    });
  }
}

type PendingTool = PendingManifest['tools'][number];

/** A server that was not started yet is one row without a description. */
function isEntry({ server, tools: [first, ...others] }: PendingManifest): boolean {
  return server !== undefined && others.length === 0 && first?.description === '';
}

/** What runs, and all that the model would be told of the tool. A row has room for a part of it. */
function toToolText(tool: PendingTool, t: Translate): string {
  const { id, description, parameters } = tool;
  const head = `${toVisibleLine(id)}\n${describeReach(tool, t)}`;
  const close = t('Close this document to go on with the review.');
  if (description === '') return `${close}\n\n${head}\n`;
  const schema =
    parameters === undefined
      ? t('The schemas of this server are too large to be shown.')
      : toVisible(JSON.stringify(parameters, null, 2)).text;
  const parts = [t('Description'), toVisible(description).text, t('Arguments'), schema];
  return `${[close, head, ...parts].join('\n\n')}\n`;
}

/** Characters of a description that a row shows. */
const DESCRIPTION = 300;

function toToolRow(tool: PendingTool, t: Translate) {
  const { id } = tool;
  const description = toPlainText(tool.description);
  const more = description.length - DESCRIPTION;
  const shown = toVisibleLine(description.slice(0, DESCRIPTION));
  const visible = more > 0 ? t('{0} … and {1} more characters', shown, more) : shown;
  return toPlainRow({
    label: toVisibleLine(id),
    ...(visible !== '' && { description: visible }),
    detail: describeReach(tool, t),
  });
}

/** What runs or is sent, and which hosts it reaches. */
function describeReach({ runs, reachesAnyHost, hosts }: PendingTool, t: Translate): string {
  const what = toVisibleLine(runs);
  const names = hosts?.map(toVisibleLine).join(', ');
  if (!reachesAnyHost) {
    return names === undefined ? t('sends {0}', what) : t('sends {0} · to {1}', what, names);
  }
  if (names === undefined || names === '*') return t('runs {0} · may reach any host', what);
  return names === ''
    ? t('runs {0} · may reach no host in the sandbox, any host outside of it', what)
    : t('runs {0} · may reach {1} in the sandbox, any host outside of it', what, names);
}

function toValidity({ server }: PendingManifest, t: Translate): string {
  return server === undefined
    ? t('Valid until the file or one of its programs changes.')
    : t('Valid until the server or one of its tools changes.');
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
