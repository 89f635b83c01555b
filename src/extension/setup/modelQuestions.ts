import type { ModelSetupParts } from './modelSetup.ts';

type Asking = Pick<ModelSetupParts, 'window' | 't'>;

export function askBaseUrl({ window, t }: Asking, value: string): Thenable<string | undefined> {
  return window.showInputBox({
    title: t('Set Model'),
    prompt: t('Address of the server; of an OpenAI-compatible endpoint without /chat/completions'),
    placeHolder: 'http://127.0.0.1:8000/v1',
    value,
    ignoreFocusOut: true,
    validateInput: (text) =>
      /^https?:$/.test(URL.parse(text)?.protocol ?? '')
        ? undefined
        : t('Must start with http:// or https://.'),
  });
}

/** Empty: the current key is kept. */
export function askKey({ window, t }: Asking, title: string): Thenable<string | undefined> {
  return window.showInputBox({
    title,
    prompt: t(
      "API key, kept in VS Code's secret storage. Leave empty to keep the current key, or if the endpoint needs none.",
    ),
    password: true,
    ignoreFocusOut: true,
  });
}

export function askModelId(
  { window, t }: Asking,
  title: string,
  value: string,
): Thenable<string | undefined> {
  return window.showInputBox({
    title,
    prompt: t('Model'),
    value,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? t('Enter a model ID.') : undefined),
  });
}
