import type { ToolListing, ToolRow } from '../../base/tools/toolRow.ts';
import { toPlainText } from '../text/plainMarkdown.ts';
import type { Translate } from '../text/translate.ts';

/** Whether the workspace or the user declares tools, or has some to review. The view is hidden otherwise. */
export function declaresTools({ tools, pending }: ToolListing): boolean {
  return pending.length > 0 || tools.some(({ file, server }) => (file ?? server) !== undefined);
}

/** A group of tools with the same source. */
export interface ToolGroup {
  readonly kind: 'group';
  readonly label: string;
  /** The MCP server whose tools they are, by its name in rules. */
  readonly server?: string;
  /** Whether the user is signed in to the server, if it wants that. */
  readonly signIn?: 'needed' | 'done';
  readonly tools: readonly ToolTreeItem[];
}

/** A tool in the view. */
export interface ToolTreeItem {
  readonly kind: 'tool';
  readonly id: string;
  readonly formerId?: string;
  readonly label: string;
  /** The text beside the label: why the tool is not offered, or its kind. */
  readonly description: string;
  readonly icon: 'tools' | 'eye-closed' | 'circle-slash' | 'warning';
  /** Markdown. */
  readonly tooltip: string;
  /** The context value that enables the item's commands. */
  readonly context: string;
  readonly source?: { readonly file: string; readonly pointer: string };
}

/** Groups the current agent's tools by source. */
export function toTree(
  rows: readonly ToolRow[],
  label: (file: string) => string,
  t: Translate,
): readonly ToolGroup[] {
  const groups = new Map<string, ToolRow[]>();
  for (const row of rows) {
    const name = toGroup(row, label, t);
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups].map(([name, own]) => {
    const { server, signIn } = own[0] ?? {};
    const tools = own.map((row) => toItem(row, t));
    const facts = { ...(server !== undefined && { server }), ...(signIn && { signIn }) };
    return { kind: 'group', label: name, tools, ...facts };
  });
}

function toGroup(
  { source, server, file }: ToolRow,
  label: (file: string) => string,
  t: Translate,
): string {
  if (server !== undefined) return t('MCP server {0}', server);
  if (source === 'editor') return t('Other extensions');
  return file === undefined ? t('Built in') : label(file);
}

function toItem(row: ToolRow, t: Translate): ToolTreeItem {
  const { id, formerId, file, pointer, state, lastError } = row;
  const isDeclared = file !== undefined && pointer !== undefined;
  return {
    kind: 'tool',
    id,
    ...(formerId !== undefined && { formerId }),
    label: id,
    description: describe(row, t),
    icon: ICONS[state] ?? 'tools',
    tooltip: createTooltip(row, t),
    context: [isDeclared ? 'declared' : 'built-in', CONTEXTS[state]].join(' '),
    ...(state === 'offered' && lastError !== undefined && { icon: 'warning' as const }),
    ...(isDeclared && { source: { file, pointer } }),
  };
}

/** `gatehouse.tools.disabled` with the tool enabled or disabled. Enabling removes its former id too. */
export function toDisabled(
  before: readonly string[],
  { id, formerId }: Pick<ToolTreeItem, 'id' | 'formerId'>,
  enabled: boolean,
): readonly string[] {
  if (enabled) return before.filter((each) => each !== id && each !== formerId);
  return [...before.filter((each) => each !== id), id];
}

const ICONS = { offered: 'tools', disabled: 'eye-closed', 'not offered': 'circle-slash' } as const;
const CONTEXTS = {
  offered: 'offered enabled',
  disabled: 'disabled',
  'not offered': 'held',
} as const;

function describe({ state, kind, why }: ToolRow, t: Translate): string {
  if (state === 'disabled') return t('disabled');
  return state === 'offered' ? kind : (why ?? '');
}

function createTooltip(
  { id, kind, description, requires, state, why, lastError }: ToolRow,
  t: Translate,
): string {
  const lines = [`**${plain(id)}**`, plain(toPlainText(description))];
  if (state === 'offered') lines.push(t('Kind: {0}', kind), needs(requires, t));
  if (why !== undefined) lines.push(t('Not offered: {0}', plain(why)));
  if (lastError !== undefined) lines.push(t('Last error: {0}', plain(lastError.slice(0, 500))));
  return lines.filter((line) => line !== '').join('\n\n');
}

function needs(requires: object, t: Translate): string {
  const text = JSON.stringify(requires);
  return text === '{}' ? t('Requires no capabilities') : t('Requires: {0}', plain(text));
}

/** Escapes Markdown, so that text from manifests can't contain links or images. */
function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>&~]/g, '\\$&').replaceAll('\n', ' ');
}
