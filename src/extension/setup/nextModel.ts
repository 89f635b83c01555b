import type { ListedModel, ListedProvider } from '../../acp/gatehouse/configure.ts';

/**
 * The one behind `ref` in the list that can call tools; after the last one, the first. `elsewhere`: only of
 * another provider.
 */
export function findNextModel(
  providers: readonly ListedProvider[],
  ref: string,
  elsewhere = false,
): { readonly model: ListedModel; readonly provider: ListedProvider } | undefined {
  const all = providers.flatMap((provider) =>
    provider.models.map((model) => ({ model, provider })),
  );
  const at = all.findIndex(({ model }) => model.ref === ref);
  const failed = all[at]?.provider;
  const others = [...all.slice(at + 1), ...all.slice(0, Math.max(0, at))];
  return others.find(
    ({ model, provider }) => model.tools !== false && !(elsewhere && provider === failed),
  );
}
