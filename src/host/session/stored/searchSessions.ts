import { RequestError } from '@agentclientprotocol/sdk';
import type { SearchHits, SessionSearch } from '../../../acp/gatehouse/sessionList.ts';
import type { HostServices } from '../../services/hostServices.ts';

/** Hits per page, unless the client wants another number. */
const HITS = 50;

/** Searches the transcripts of all stored sessions. */
export async function searchSessions(
  { search }: Pick<HostServices, 'search'>,
  query: SessionSearch,
): Promise<SearchHits> {
  const found = await search.search({ limit: HITS, ...query });
  if (!found.ok) throw RequestError.invalidParams({ ...query }, found.error);
  const { hits, indexing } = found.data;
  return {
    hits: hits.map(({ title, ...hit }) => ({ ...hit, ...(title === undefined ? {} : { title }) })),
    ...(indexing && { indexing }),
  };
}
