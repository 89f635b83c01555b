import type * as vscode from 'vscode';
import type { ListedModel, ListedProvider, ModelListing } from '../../acp/gatehouse/configure.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import type { Translate } from '../text/translate.ts';

/** What the user chose in the list of models. */
export type ModelRow = vscode.QuickPickItem & {
  readonly chosen?:
    | { readonly kind: 'model'; readonly model: ListedModel; readonly provider: ListedProvider }
    | { readonly kind: 'setUp'; readonly provider: ListedProvider };
};

/** `QuickPickItemKind.Separator`. */
const SEPARATOR = -1;

export function pickRow(
  window: Pick<typeof vscode.window, 'showQuickPick'>,
  rows: readonly ModelRow[],
  title: string,
  placeHolder: string,
): Thenable<ModelRow | undefined> {
  const options = { title, placeHolder, matchOnDescription: true, ignoreFocusOut: true };
  return window.showQuickPick(rows, options);
}

/** The models by provider, those used last first; then what can be set up. */
export function toModelRows(
  { providers }: ModelListing,
  recent: readonly string[],
  current: string | undefined,
  t: Translate,
): readonly ModelRow[] {
  const found = providers.flatMap((provider) =>
    provider.models.map((model) => toRow(provider, model, current, t)),
  );
  const last = recent.flatMap((ref) => found.find((row) => getRef(row) === ref) ?? []);
  return [
    ...withHeading(
      t('recently used'),
      last.map((row) => withProvider(row)),
    ),
    ...providers.flatMap((provider) =>
      withHeading(
        toHeading(provider, t),
        found.filter(({ chosen }) => chosen?.provider === provider),
      ),
    ),
    ...withHeading(
      t('set up'),
      providers.flatMap((each) => toSetUp(each, t)),
    ),
  ];
}

function withHeading(label: string, rows: readonly ModelRow[]): readonly ModelRow[] {
  return rows.length === 0 ? [] : [{ label, kind: SEPARATOR }, ...rows];
}

function getRef({ chosen }: ModelRow): string | undefined {
  return chosen?.kind === 'model' ? chosen.model.ref : undefined;
}

function toRow(
  provider: ListedProvider,
  model: ListedModel,
  current: string | undefined,
  t: Translate,
): ModelRow {
  const facts = [toFacts(model, t), ...(model.ref === current ? [t('current')] : [])];
  const row = { label: model.name ?? model.id, description: facts.join(' · ') };
  return { ...toPlainRow(row), chosen: { kind: 'model', model, provider } };
}

/** Among models of several providers, a row says whose it is. */
function withProvider(row: ModelRow): ModelRow {
  return { ...row, description: [row.chosen?.provider.label, row.description].join(' · ') };
}

/** Context window and price of a model, or that nobody knows them. */
export function toFacts({ contextTokens, price }: ListedModel, t: Translate): string {
  const context =
    contextTokens === undefined
      ? t('context unknown')
      : t('{0} tokens', contextTokens.toLocaleString());
  if (price === undefined) return `${context} · ${t('price unknown')}`;
  const { input, output } = price;
  const isFree = input === 0 && output === 0;
  const cost = isFree ? t('free') : t('{0} in, {1} out per million', `$${input}`, `$${output}`);
  return `${context} · ${cost}`;
}

/** The provider, and who pays there. */
function toHeading({ label, kind, keyFrom, models }: ListedProvider, t: Translate): string {
  if (kind === 'editor') {
    const accounts = [...new Set(models.flatMap(({ account }) => account ?? []))];
    return [label, ...accounts].join(' · ');
  }
  if (kind === 'local') return t('{0} · on this machine', label);
  if (keyFrom === undefined) return label;
  return keyFrom === 'stored'
    ? t('{0} · your stored API key', label)
    : t('{0} · API key of {1}', label, keyFrom);
}

/** A provider that lists no models yet. The editor's own are set up elsewhere. */
function toSetUp(provider: ListedProvider, t: Translate): readonly ModelRow[] {
  const { kind, label, state, problem } = provider;
  if (kind === 'editor' || (state === 'found' && kind !== 'endpoint')) return [];
  const why = problem ?? (state === 'key' ? t('needs an API key') : toAbsent(kind, t));
  const row = { label: `${label}…`, ...(why !== undefined && { description: why }) };
  return [{ ...toPlainRow(row), chosen: { kind: 'setUp', provider } }];
}

function toAbsent(kind: ListedProvider['kind'], t: Translate): string | undefined {
  return kind === 'local' ? t('not running') : undefined;
}
