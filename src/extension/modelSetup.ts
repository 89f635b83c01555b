import type * as vscode from 'vscode';
import { asRecord, asString } from './meta.ts';
import { MODEL_KEY, type Secrets } from './secrets.ts';
import type { Translate } from './translate.ts';

export interface ModelSetupParts {
  readonly window: Pick<
    typeof vscode.window,
    'showInputBox' | 'showQuickPick' | 'showInformationMessage' | 'showWarningMessage'
  >;
  readonly secrets: Secrets;
  readonly fetch: typeof globalThis.fetch;
  readonly t: Translate;
  read(key: 'model.baseUrl' | 'model.id'): string;
  write(key: 'model.baseUrl' | 'model.id', value: string): Promise<void>;
}

/** How long an endpoint may take to list its models. Milliseconds. */
const CHECK_TIMEOUT = 10_000;
const TOTAL_STEPS = 3;

/** Endpoint, key and model, one after the other. Escape at any step changes nothing after it. */
export async function setModel(parts: ModelSetupParts): Promise<void> {
  const { t, read, write, window } = parts;
  const baseUrl = await askBaseUrl(parts, read('model.baseUrl'));
  if (baseUrl === undefined) return;
  const key = await askKey(parts, t('Set Model (2/{0})', TOTAL_STEPS));
  if (key === undefined) return;
  if (key !== '') await parts.secrets.set(MODEL_KEY, key);
  const stored = key === '' ? await parts.secrets.get(MODEL_KEY) : key;
  const models = await listModels(parts, baseUrl, stored);
  const id = await askModel(parts, models, read('model.id'));
  if (id === undefined) return;
  await write('model.baseUrl', baseUrl);
  await write('model.id', id);
  void window.showInformationMessage(t('Gatehouse uses {0} at {1} now.', id, baseUrl));
}

/** Stores a key and says whether the endpoint takes it. */
export async function setApiKey(parts: ModelSetupParts): Promise<void> {
  const { t, window, secrets, read } = parts;
  const key = await askKey(parts, t('Set API Key'));
  if (key === undefined || key === '') return;
  await secrets.set(MODEL_KEY, key);
  const baseUrl = read('model.baseUrl');
  if (baseUrl === '') return;
  const models = await listModels(parts, baseUrl, key);
  if (models !== undefined)
    void window.showInformationMessage(t('The key is stored; the endpoint accepts it.'));
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
        : t('It must begin with http:// or https://.'),
  });
}

function askKey({ window, t }: ModelSetupParts, title: string) {
  return window.showInputBox({
    title,
    prompt: t(
      'API key; it is kept in the secret storage. Leave it empty to keep the present one, or for none.',
    ),
    password: true,
    ignoreFocusOut: true,
  });
}

/** From the endpoint's own list where it has one, else typed. */
async function askModel(
  { window, t }: ModelSetupParts,
  models: readonly string[] | undefined,
  value: string,
): Promise<string | undefined> {
  const title = t('Set Model (3/{0})', TOTAL_STEPS);
  const prompt = t('Model');
  if (models !== undefined && models.length > 0) {
    const typed = t('Type a model id…');
    const items = [...models, typed];
    const picked = await window.showQuickPick(items, {
      title,
      placeHolder: prompt,
      ignoreFocusOut: true,
    });
    if (picked !== typed) return picked;
  }
  return window.showInputBox({
    title,
    prompt,
    value,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? t('Type the id of a model.') : undefined),
  });
}

/** Asks the endpoint for its models, which checks address and key at once. Undefined after a warning. */
async function listModels(
  { fetch, t, window }: ModelSetupParts,
  baseUrl: string,
  key: string | undefined,
): Promise<readonly string[] | undefined> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: 'error',
      signal: AbortSignal.timeout(CHECK_TIMEOUT),
    });
    if (response.status === 401 || response.status === 403) {
      void window.showWarningMessage(t('The endpoint refused the API key ({0}).', response.status));
      return undefined;
    }
    if (!response.ok) return [];
    const { data } = asRecord(await response.json());
    return Array.isArray(data)
      ? data.flatMap((model) => asString(asRecord(model)['id']) ?? [])
      : [];
  } catch {
    void window.showWarningMessage(t('The endpoint did not answer: {0}', baseUrl));
    return undefined;
  }
}
