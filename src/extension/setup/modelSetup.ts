import type * as vscode from 'vscode';
import { asString, toRecord } from '../../base/json.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import { MODEL_KEY, type Secrets } from './secrets.ts';

export interface ModelSetupParts {
  readonly window: Pick<
    typeof vscode.window,
    'showInputBox' | 'showQuickPick' | 'showInformationMessage' | 'showWarningMessage'
  >;
  readonly secrets: Secrets;
  readonly fetch: typeof globalThis.fetch;
  readonly t: Translate;
  read(key: 'model.baseUrl' | 'model.id'): string;
  write(values: { readonly 'model.baseUrl': string; readonly 'model.id': string }): Promise<void>;
}

/** Timeout for listing an endpoint's models, in milliseconds. */
const CHECK_TIMEOUT = 10_000;
const TOTAL_STEPS = 3;

/** Asks for endpoint, model and API key. Escape cancels the remaining steps. */
export async function setModel(parts: ModelSetupParts): Promise<void> {
  const { t, read, write, window, secrets } = parts;
  const baseUrl = await askBaseUrl(parts, read('model.baseUrl'));
  if (baseUrl === undefined) return;
  const known = await listModels(parts, baseUrl, await secrets.get(MODEL_KEY));
  const id = await askModel(parts, known.models, read('model.id'));
  if (id === undefined) return;
  await write({ 'model.baseUrl': baseUrl, 'model.id': id });
  const key = await askKey(parts, t('Set Model (3/{0})', TOTAL_STEPS));
  if (key === undefined) return;
  if (key !== '') await secrets.set(MODEL_KEY, key);
  const checked = key === '' ? known : await listModels(parts, baseUrl, key);
  if (checked.problem !== undefined) void window.showWarningMessage(plainNotice(checked.problem));
  else void window.showInformationMessage(t('Gatehouse now uses {0} at {1}.', id, baseUrl));
}

/** Stores an API key and shows whether the endpoint accepts it. */
export async function setApiKey(parts: ModelSetupParts): Promise<void> {
  const { t, window, secrets, read } = parts;
  const key = await askKey(parts, t('Set API Key'));
  if (key === undefined || key === '') return;
  await secrets.set(MODEL_KEY, key);
  const baseUrl = read('model.baseUrl');
  if (baseUrl === '') return;
  const { problem } = await listModels(parts, baseUrl, key);
  if (problem !== undefined) void window.showWarningMessage(plainNotice(problem));
  else void window.showInformationMessage(t('API key saved. The endpoint accepts it.'));
}

function askBaseUrl({ window, t }: ModelSetupParts, value: string) {
  return window.showInputBox({
    title: t('Set Model (1/{0})', TOTAL_STEPS),
    prompt: t('Base URL of an OpenAI-compatible endpoint, without /chat/completions'),
    placeHolder: 'http://127.0.0.1:11434/v1',
    value,
    ignoreFocusOut: true,
    validateInput: (text) =>
      /^https?:$/.test(URL.parse(text)?.protocol ?? '')
        ? undefined
        : t('Must start with http:// or https://.'),
  });
}

function askKey({ window, t }: ModelSetupParts, title: string) {
  return window.showInputBox({
    title,
    prompt: t(
      "API key, kept in VS Code's secret storage. Leave empty to keep the current key, or if the endpoint needs none.",
    ),
    password: true,
    ignoreFocusOut: true,
  });
}

/** Asks for a model from the endpoint's list, or for its id. */
async function askModel(
  { window, t }: ModelSetupParts,
  models: readonly string[],
  value: string,
): Promise<string | undefined> {
  const title = t('Set Model (2/{0})', TOTAL_STEPS);
  const prompt = t('Model');
  if (models.length > 0) {
    const typed = { label: t('Enter Model ID…'), id: undefined };
    const listed = models.map((id) => toPlainRow({ label: id, id }));
    const picked = await window.showQuickPick([...listed, typed], {
      title,
      placeHolder: prompt,
      ignoreFocusOut: true,
    });
    if (picked !== typed) return picked?.id;
  }
  return window.showInputBox({
    title,
    prompt,
    value,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? t('Enter a model ID.') : undefined),
  });
}

interface Listing {
  /** Empty if the endpoint has no model list. */
  readonly models: readonly string[];
  /** Why the endpoint can't be used, as a localized message. */
  readonly problem?: string;
}

/** Lists the endpoint's models, which also checks the URL and the API key. */
async function listModels(
  { fetch, t }: ModelSetupParts,
  baseUrl: string,
  key: string | undefined,
): Promise<Listing> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: 'error',
      signal: AbortSignal.timeout(CHECK_TIMEOUT),
    });
    if (response.status === 401 || response.status === 403) {
      return {
        models: [],
        problem: t(
          'The endpoint rejected the API key (HTTP {0}). Your changes were saved; set another key.',
          response.status,
        ),
      };
    }
    // Many endpoints have no model list; the URL and the key may still be valid.
    if (!response.ok) return { models: [] };
    const { data } = toRecord(await response.json());
    const models = Array.isArray(data) ? data : [];
    return { models: models.flatMap((model) => asString(toRecord(model)['id']) ?? []) };
  } catch {
    return {
      models: [],
      problem: t('Could not reach {0}. Your changes were saved; check the base URL.', baseUrl),
    };
  }
}
