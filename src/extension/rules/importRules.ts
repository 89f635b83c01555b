import type * as vscode from 'vscode';
import type { HashedRule, ImportPreview, ImportQuery } from '../../acp/gatehouse/rules.ts';
import { type ReportedRule, reportLines } from '../../base/tools/importReport.ts';
import type { SettingsRule } from '../../settings/ruleStore.ts';
import type { Translate } from '../text/translate.ts';
import type { SavedRule } from './files/ruleFiles.ts';

export interface ImportRulesParts {
  readonly window: Pick<typeof vscode.window, 'showQuickPick' | 'showInformationMessage'>;
  readonly t: Translate;
  /** The open folders. Absolute. */
  folders(): readonly string[];
  /** The user settings of this editor. Absolute. */
  readonly userSettings: string;
  preview(query: ImportQuery): Promise<ImportPreview>;
  /** Opens a read-only document. */
  show(title: string, text: string): Promise<void>;
  /** Saves rules in one edit. Resolves with those that were not there yet. */
  save(
    rules: readonly SettingsRule[],
    destination: 'user' | 'workspace',
  ): Promise<readonly SavedRule[]>;
  /** Sends the settings to the host. */
  configure(): Promise<void>;
  /** Accepts a rule of the workspace. */
  accept(file: string, hash: string): Promise<void>;
  /** Tells the user that a rule was saved. */
  saved(rule: SavedRule): void;
}

/**
 * Shows what importing the rules of other products would do, asks, and saves the rules. Escape saves
 * nothing.
 */
export async function importRules(parts: ImportRulesParts): Promise<void> {
  const { t, preview, show, window } = parts;
  const folders = parts.folders();
  const [folder] = folders;
  // The settings of one folder must not apply to another one.
  const own = folders.length === 1 && folder !== undefined ? { folder } : {};
  const query = { ...own, userSettings: parts.userSettings };
  for (let shown = await preview(query); ; ) {
    await show(t('Rules to Import'), toPreviewText(shown, folders.length, t));
    if (shown.rules.length === 0 || !(await confirm(parts, shown.rules))) return;
    // The rules were compared with the settings of a while ago.
    const current = await preview(query);
    if (isEqual(current, shown)) return save(parts, shown.rules);
    shown = current;
    void window.showInformationMessage(
      t('Settings changed since the preview was made. Nothing was saved; check the new preview.'),
    );
  }
}

/** The document: below what was not read, exactly what `gatehouse rules import` prints. */
export function toPreviewText(preview: ImportPreview, folders: number, t: Translate): string {
  const notes = [
    ...(preview.untrusted === true
      ? [t('This workspace is not trusted, so only your own files were read.')]
      : []),
    ...(folders > 1
      ? [
          t(
            'Several folders are open, so only your own files were read. To import the rules of a folder, open only that folder.',
          ),
        ]
      : []),
  ];
  return [...notes.flatMap((note) => [note, '']), ...reportLines(preview), ''].join('\n');
}

interface Row extends vscode.QuickPickItem {
  readonly imports: boolean;
}

async function confirm(
  { window, t }: ImportRulesParts,
  rules: readonly ReportedRule[],
): Promise<boolean> {
  const user = select(rules, 'user').length;
  const description = t(
    '{0} to the user settings, {1} to the settings of this workspace',
    user,
    rules.length - user,
  );
  const label = rules.length === 1 ? t('Import 1 Rule') : t('Import {0} Rules', rules.length);
  // The row that Enter chooses at once must import nothing.
  const rows: readonly Row[] = [
    { label: t('Cancel'), imports: false },
    { label, description, imports: true },
  ];
  const picked = await window.showQuickPick(rows, {
    title: t('Import Rules'),
    placeHolder: t('Import the rules that the preview lists?'),
    ignoreFocusOut: true,
  });
  return picked?.imports === true;
}

/** Each destination is told as soon as it is saved, so that it can be undone if the other one fails. */
async function save(parts: ImportRulesParts, rules: readonly HashedRule[]): Promise<void> {
  for (const destination of ['user', 'workspace'] as const) {
    const chosen = select(rules, destination);
    if (chosen.length === 0) continue;
    const saved = await parts.save(chosen.map(toSettingsRule), destination);
    for (const rule of saved) parts.saved(rule);
    await parts.configure();
    if (destination === 'user') continue;
    for (const { rule, file } of saved) {
      const hash = chosen.find((each) => isSameRule(each, rule))?.hash;
      // Importing them is the consent that rules of a workspace need.
      if (hash !== undefined) await parts.accept(file, hash);
    }
  }
}

function select<Chosen extends ReportedRule>(
  rules: readonly Chosen[],
  destination: 'user' | 'workspace',
): readonly Chosen[] {
  return rules.filter((rule) => rule.destination === destination);
}

function toSettingsRule({ permission, pattern, action }: ReportedRule): SettingsRule {
  return { permission, pattern, action };
}

function isSameRule(a: SettingsRule, b: SettingsRule): boolean {
  return a.permission === b.permission && a.pattern === b.pattern && a.action === b.action;
}

function isEqual(a: ImportPreview, b: ImportPreview): boolean {
  return JSON.stringify(a.rules) === JSON.stringify(b.rules);
}
