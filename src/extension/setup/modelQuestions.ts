import type { ModelSetupParts } from './modelSetup.ts';

type Asking = Pick<ModelSetupParts, 'window' | 't'>;

/** Like the pattern of the setting. */
const ADDRESS = /^https?:\/\/\S+$/i;

export async function askBaseUrl(
  { window, t }: Asking,
  value: string,
): Promise<string | undefined> {
  const given = await window.showInputBox({
    title: t('Set Model'),
    prompt: t('Address of the server; of an OpenAI-compatible endpoint without /chat/completions'),
    placeHolder: 'http://127.0.0.1:8000/v1',
    value,
    ignoreFocusOut: true,
    validateInput: (text) =>
      ADDRESS.test(text.trim()) && URL.canParse(text.trim())
        ? undefined
        : t('Must start with http:// or https://.'),
  });
  return given?.trim();
}

/** Empty: the current key is kept, or none is used if `isForeign`: if that is the key of another address. */
export async function askKey(
  { window, t }: Asking,
  title: string,
  isForeign = false,
): Promise<string | undefined> {
  const given = await window.showInputBox({
    title,
    prompt: isForeign
      ? t(
          "API key, kept in VS Code's secret storage. Leave empty if the endpoint needs none. The stored key of the other address isn't sent to it.",
        )
      : t(
          "API key, kept in VS Code's secret storage. Leave empty to keep the current key, or if the endpoint needs none.",
        ),
    password: true,
    ignoreFocusOut: true,
  });
  return given?.trim();
}

export async function askModelId(
  { window, t }: Asking,
  title: string,
  value: string,
): Promise<string | undefined> {
  const given = await window.showInputBox({
    title,
    prompt: t('Model'),
    value,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? t('Enter a model ID.') : undefined),
  });
  return given?.trim();
}
