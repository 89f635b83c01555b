import { isBelow } from '../permissions/patterns/paths.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import { getPaths } from './subjects.ts';

/** What the user approved in one call: real paths and URLs. */
export interface Approvals {
  /** A search that was approved in a folder may look into the files below it. */
  has(target: string): boolean;
  add(target: string): void;
}

/** `asked` are the subjects that the user is asked about, as they were resolved when the call was admitted. */
export function createApprovals(asked: readonly Subject[]): Approvals {
  const hosts = asked.filter(({ match }) => match === 'host').map(({ target }) => target);
  const targets = new Set([...getPaths(asked), ...hosts]);
  return {
    has: (target) => targets.has(target) || [...targets].some((each) => isBelow(target, each)),
    add: (target) => void targets.add(target),
  };
}
