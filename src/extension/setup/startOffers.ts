import type { ListedProvider, ModelListing } from '../../acp/gatehouse/configure.ts';
import type { StartOffer } from '../../webview/messages/chatState.ts';
import type { Translate } from '../text/translate.ts';
import { toFacts } from './modelRows.ts';

/** How many models the empty chat offers, and how many of one provider. */
const MOST = 4;
const OF_ONE = 2;

/** What a newcomer can use with one click, in the order of the providers. */
export function toStartOffers({ providers }: ModelListing, t: Translate): readonly StartOffer[] {
  return providers.flatMap((provider) => toOffers(provider, t)).slice(0, MOST);
}

function toOffers(provider: ListedProvider, t: Translate): readonly StartOffer[] {
  const { label, models } = provider;
  // Without tools a model can only talk.
  const able = models.filter(({ tools }) => tools !== false);
  return able.slice(0, OF_ONE).map((model) => ({
    ref: model.ref,
    label: t('Use {0}', model.name ?? model.id),
    detail: `${model.account ?? label} · ${toFacts(model, t)}`,
  }));
}
