import type * as vscode from 'vscode';
import type {
  ListedModel,
  ListedProvider,
  ModelListing,
  ModelsQuery,
  TriedModel,
  TryModel,
} from '../../acp/gatehouse/configure.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import { askBaseUrl, askModelId } from './modelQuestions.ts';
import { type ModelRow, pickRow, toModelRows } from './modelRows.ts';
import { findNextModel } from './nextModel.ts';
import { takeKey } from './providerKey.ts';
import type { Secrets } from './secrets.ts';

/** The settings that choose the model of new sessions. */
export interface ModelValues {
  readonly 'model.provider': string;
  readonly 'model.id': string;
  readonly 'model.baseUrl': string;
}

export interface ModelSetupParts {
  readonly window: Pick<
    typeof vscode.window,
    'showInputBox' | 'showQuickPick' | 'showInformationMessage' | 'showWarningMessage'
  >;
  readonly secrets: Secrets;
  readonly t: Translate;
  /** Shows that something takes a while. */
  progress<Result>(title: string, work: () => Promise<Result>): Thenable<Result>;
  models(query: ModelsQuery): Promise<ModelListing>;
  tryModel(query: TryModel): Promise<TriedModel>;
  read(key: keyof ModelValues): string;
  write(values: ModelValues): Promise<void>;
  /** The models that were used last, the last one first. */
  readonly recent: { get(): readonly string[]; add(ref: string): void };
  /** Called when the last pick or box has closed with an answer; to use it may take a while. */
  chosen?(): void;
}

/** A model at its provider. */
export interface WantedModel {
  readonly model: Pick<ListedModel, 'ref' | 'id' | 'name'>;
  readonly provider: ListedProvider;
  /** Its provider's address, if it isn't the one that the host uses already. */
  readonly baseUrl?: string;
  /** Stores the key of the address that is set again, if another one was stored for this one. */
  undo?(): Promise<void>;
}

/** Lists what was found, and uses what the user chooses once it has answered. Escape changes nothing. */
export async function setModel(parts: ModelSetupParts): Promise<void> {
  const wanted = await pickModel(parts, parts.t('Set Model'));
  if (wanted === undefined) return;
  parts.chosen?.();
  await useModel(parts, wanted);
}

/** Lets the user choose a model, setting up its provider before if it isn't. Undefined: nothing was chosen. */
export async function pickModel(
  parts: ModelSetupParts,
  title: string,
  current?: string,
): Promise<WantedModel | undefined> {
  const { window, t, recent } = parts;
  const listing = await parts.progress(t('Looking for models…'), () =>
    parts.models({ refresh: true }),
  );
  const rows = toModelRows(listing, recent.get(), current, t);
  const { pricesFrom } = listing;
  const placeHolder =
    pricesFrom === ''
      ? t('Select a model, or a provider to set up')
      : t('Select a model, or a provider to set up. Prices are of {0}.', pricesFrom);
  const chosen = (await pickRow(window, rows, title, placeHolder))?.chosen;
  if (chosen === undefined || chosen.kind === 'model') return chosen;
  return setUpProvider(parts, chosen.provider);
}

/**
 * Asks for the address and the key of a provider, as far as it needs them, and for one of its models. A key that leads
 * to no model is not kept.
 */
async function setUpProvider(
  parts: ModelSetupParts,
  provider: ListedProvider,
): Promise<WantedModel | undefined> {
  const baseUrl = await askAddress(parts, provider);
  if (baseUrl === undefined) return undefined;
  const key = await takeKey(parts, provider, baseUrl);
  if (key === undefined) return undefined;
  let wanted: WantedModel | undefined;
  try {
    const { found, at } = await lookAt(parts, provider, baseUrl);
    if (found.problem !== undefined) return tellProblem(parts, found.problem);
    wanted = await askFound(parts, found, at);
    return wanted && provider.kind === 'endpoint' ? { ...wanted, undo: key.undo } : wanted;
  } finally {
    if (wanted === undefined) await key.undo();
  }
}

/** What the provider lists at the address, or below its /v1 if only that answers. */
async function lookAt(parts: ModelSetupParts, provider: ListedProvider, baseUrl: string) {
  const { t } = parts;
  const list = async (at: { readonly baseUrl?: string }) => {
    const query = { provider: provider.id, refresh: true, ...at };
    const { providers } = await parts.progress(t('Looking for models…'), () => parts.models(query));
    return { found: providers[0] ?? provider, at };
  };
  const first = await list(baseUrl === '' ? {} : { baseUrl });
  const versioned = first.found.problem === undefined ? undefined : addVersion(provider, baseUrl);
  const second = versioned === undefined ? first : await list({ baseUrl: versioned });
  return second.found.problem === undefined ? second : first;
}

/** Empty: the provider's own address. Undefined: the user left. */
async function askAddress(
  parts: ModelSetupParts,
  { kind, baseUrl = '' }: ListedProvider,
): Promise<string | undefined> {
  if (kind === 'cloud') return '';
  const value = kind === 'local' ? baseUrl : parts.read('model.baseUrl');
  return askBaseUrl(parts, value);
}

async function askFound(
  parts: ModelSetupParts,
  provider: ListedProvider,
  at: { readonly baseUrl?: string },
): Promise<WantedModel | undefined> {
  const { window, t } = parts;
  const title = t('Set Model: {0}', provider.label);
  if (provider.models.length > 0) {
    const listing = { pricesFrom: '', providers: [provider] };
    const rows = toModelRows(listing, [], undefined, t).filter(
      ({ chosen }) => chosen?.kind === 'model',
    );
    const typed: ModelRow = { label: t('Enter Model ID…') };
    const picked = await pickRow(window, [...rows, typed], title, t('Model'));
    const wanted = picked && toWanted(picked);
    if (picked !== typed) return wanted && { ...wanted, ...at };
  }
  const id = await askModelId(parts, title, parts.read('model.id'));
  if (id === undefined) return undefined;
  const ref = provider.id === 'openai-compatible' ? id : `${provider.id}:${id}`;
  return { provider, model: { ref, id }, ...at };
}

function toWanted({ chosen }: ModelRow): WantedModel | undefined {
  return chosen?.kind === 'model' ? chosen : undefined;
}

function tellProblem({ window, t }: ModelSetupParts, problem: string): undefined {
  void window.showWarningMessage(plainNotice(t('{0} No setting was changed.', problem)));
}

/** Uses a model from now on if it answers one real request; a list of models is no proof of that. */
export async function useModel(parts: ModelSetupParts, wanted: WantedModel): Promise<boolean> {
  const { t, window } = parts;
  const { model, provider } = wanted;
  const name = model.name ?? model.id;
  const attempt = (at: string | undefined) => {
    const query = { ref: model.ref, ...(at !== undefined && { baseUrl: at }) };
    const title = t('Waiting for {0} to answer…', name);
    return orUndo(wanted, () => parts.progress(title, () => parts.tryModel(query)));
  };
  const tried = await attempt(wanted.baseUrl);
  const versioned = tried.answered ? undefined : addVersion(provider, wanted.baseUrl);
  const found = versioned !== undefined && (await attempt(versioned)).answered;
  if (!tried.answered && !found) {
    await wanted.undo?.();
    return tellRefusal(parts, wanted, tried.problem ?? '');
  }
  const baseUrl = found ? versioned : wanted.baseUrl;
  const own = provider.kind === 'endpoint' || provider.kind === 'local';
  const address = baseUrl ?? (provider.kind === 'endpoint' ? provider.baseUrl : undefined);
  const values = {
    ...{ 'model.provider': provider.id, 'model.id': model.id },
    'model.baseUrl': own ? (address ?? '') : '',
  };
  await orUndo(wanted, () => parts.write(values));
  parts.recent.add(model.ref);
  const said = t('{0} answered. New messages go to it. {1}', name, toPayer(wanted, t));
  const added = found ? ` ${t('/v1 was added to the address: {0}', baseUrl ?? '')}` : '';
  void window.showInformationMessage(plainNotice(`${said}${added}`));
  return true;
}

async function orUndo<Result>(
  { undo }: WantedModel,
  work: () => PromiseLike<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await undo?.();
    throw error;
  }
}

/** Most servers that speak OpenAI's language do so below /v1. Undefined: the address is complete. */
function addVersion({ kind, id }: ListedProvider, baseUrl = ''): string | undefined {
  const speaksIt = kind === 'endpoint' || (kind === 'local' && id !== 'ollama');
  const bare = baseUrl.replace(/\/+$/, '');
  if (!speaksIt || bare === '' || /\/v\d+\w*(\/|$)/.test(bare)) return undefined;
  return `${bare}/v1`;
}

/** Says why the model isn't used, and offers the next one that was found. */
async function tellRefusal(
  parts: ModelSetupParts,
  { model }: WantedModel,
  problem: string,
): Promise<false> {
  const { t, window } = parts;
  const next = await findNext(parts, model.ref);
  const use = next && t('Use {0}', next.model.name ?? next.model.id);
  const other = t('Choose Another Model…');
  const text = t(
    '{0} did not answer. {1} No setting was changed.',
    model.name ?? model.id,
    problem,
  );
  const buttons = [...(use === undefined ? [] : [use]), other];
  const button = await window.showWarningMessage(plainNotice(text), ...buttons);
  if (next !== undefined && button === use) await useModel(parts, next);
  else if (button === other) await setModel(parts);
  return false;
}

async function findNext(parts: ModelSetupParts, ref: string): Promise<WantedModel | undefined> {
  const { providers } = await parts.models({}).catch(() => ({ providers: [] }));
  return findNextModel(providers, ref);
}

/** The vendor of the models of GitHub Copilot in VS Code. */
const COPILOT = 'copilot';

/** Which account pays, as far as VS Code tells. */
function toPayer({ provider, model }: WantedModel, t: Translate): string {
  const { kind, label } = provider;
  if (kind === 'local') return t('It runs on this machine and costs nothing.');
  if (kind === 'editor') {
    const listed = provider.models.find(({ ref }) => ref === model.ref);
    const vendor = listed?.account ?? label;
    return vendor === COPILOT
      ? t('Your GitHub Copilot account pays for it.')
      : t('VS Code uses it as you set it up there, with {0}.', vendor);
  }
  return t('{0} bills it to the account of the API key.', label);
}
