import type { ListedProvider } from '../../acp/gatehouse/configure.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import { plainNotice } from '../text/plainNotice.ts';
import { askKey } from './modelQuestions.ts';
import type { ModelSetupParts } from './modelSetup.ts';

/**
 * Stores the API key of a provider, and shows whether its model answers with it. The provider is that of the
 * model `ref`, if there is one, else the user chooses.
 */
export async function setApiKey(parts: ModelSetupParts, ref?: string): Promise<void> {
  const { t, window, secrets } = parts;
  const { providers } = await parts.models({});
  const keyed = providers.filter(({ keyId }) => keyId !== undefined);
  const provider =
    findProvider(providers, ref) ??
    (keyed.length === 1 ? keyed[0] : await pickProvider(parts, keyed, t('Set API Key')));
  if (provider?.keyId === undefined) return;
  const key = await askKey(parts, provider.label);
  if (key === undefined || key === '') return;
  parts.chosen?.();
  await secrets.set(provider.keyId, key);
  const problem = await parts.progress(t('Checking the API key…'), () => check(parts, provider));
  if (problem !== undefined)
    void window.showWarningMessage(plainNotice(t('The API key was saved. {0}', problem)));
  else
    void window.showInformationMessage(
      plainNotice(t('API key saved. {0} accepts it.', provider.label)),
    );
}

/** References are `provider:model`; those of an endpoint without a name are the model's id alone. */
function findProvider(
  providers: readonly ListedProvider[],
  ref: string | undefined,
): ListedProvider | undefined {
  if (ref === undefined) return undefined;
  const own =
    providers.find(({ id }) => ref.startsWith(`${id}:`)) ??
    providers.find(({ id }) => id === 'openai-compatible');
  return own?.keyId === undefined ? undefined : own;
}

/** By a real request if one of its models is set, else by its list of models. */
async function check(parts: ModelSetupParts, { id }: ListedProvider): Promise<string | undefined> {
  const model = parts.read('model.id');
  if (id === parts.read('model.provider') && model !== '') {
    const ref = id === 'openai-compatible' ? model : `${id}:${model}`;
    return (await parts.tryModel({ ref })).problem;
  }
  const { providers } = await parts.models({ provider: id, refresh: true });
  return providers[0]?.problem;
}

/** Removes the stored API key that the user chooses, also if there is only one. */
export async function signOut(parts: ModelSetupParts): Promise<void> {
  const { t, window, secrets } = parts;
  const { providers } = await parts.models({ refresh: true });
  const stored = providers.filter(({ keyFrom }) => keyFrom === 'stored');
  if (stored.length === 0) {
    void window.showInformationMessage(t('No API key is stored.'));
    return;
  }
  const provider = await pickProvider(parts, stored, t('Sign Out'));
  if (provider?.keyId === undefined) return;
  await secrets.clear(provider.keyId);
  void window.showInformationMessage(
    plainNotice(t('The API key of {0} was removed.', provider.label)),
  );
}

/** The provider of the model that is set stands first. */
async function pickProvider(
  { window, t, read }: ModelSetupParts,
  providers: readonly ListedProvider[],
  title: string,
): Promise<ListedProvider | undefined> {
  const set = read('model.provider');
  const rows = providers
    .map((provider) => ({
      ...toPlainRow({
        label: provider.label,
        ...(provider.keyFrom === 'stored' && { description: t('a key is stored') }),
      }),
      provider,
    }))
    .sort((a, b) => Number(b.provider.id === set) - Number(a.provider.id === set));
  const placeHolder = t('Select a provider');
  return (await window.showQuickPick(rows, { title, placeHolder }))?.provider;
}
