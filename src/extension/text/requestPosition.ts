import type { AskSource } from '../../acp/gatehouse/pending.ts';
import type { Translate } from './translate.ts';

/** A request's position in the queue, and where it comes from. */
export interface PositionedRequest {
  readonly position: number;
  readonly total: number;
  readonly source: Pick<AskSource, 'agent' | 'session'>;
}

/** A request's position in one line: "1 of 4 · build · Fix the sum". A single request has no number. */
export function requestPosition(
  { position, total, source }: PositionedRequest,
  t: Translate,
): string {
  const number = total > 1 ? t('{0} of {1}', position, total) : '';
  return [number, source.agent, source.session ?? ''].filter((part) => part !== '').join(' · ');
}
