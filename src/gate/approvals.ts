import { isBelow } from '../permissions/patterns/paths.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import { getPaths } from './subjects.ts';

/** The real paths and URLs that the user approved in one call. */
export interface Approvals {
  /** Also true below an approved folder: an approved search may read the files below it. */
  has(target: string): boolean;
  add(target: string): void;
}

/** `asked` are the subjects that the user is asked about, as resolved when the call was admitted. */
export function createApprovals(asked: readonly Subject[]): Approvals {
  const hosts = asked.filter(({ match }) => match === 'host').map(({ target }) => target);
  const targets = new Set([...getPaths(asked), ...hosts]);
  return {
    has: (target) => targets.has(target) || [...targets].some((each) => isBelow(target, each)),
    add: (target) => void targets.add(target),
  };
}
