import { isBelow, resolvePath } from '../permissions/patterns/paths.ts';
import type { Policy } from '../permissions/rules/policy.ts';
import type { Subject } from '../permissions/rules/subject.ts';

/** What the user approved in one call: real paths and URLs. */
export interface Approvals {
  /** A search that was allowed in a folder may look into the files below it. */
  has(target: string): boolean;
  add(target: string): void;
  /** Keeps what the subjects lead to now, before the user is asked about them. */
  remember(subjects: readonly Subject[], policy: Policy): Promise<void>;
}

export function createApprovals(): Approvals {
  const targets = new Set<string>();
  return {
    has: (target) => targets.has(target) || [...targets].some((each) => isBelow(target, each)),
    add: (target) => void targets.add(target),
    async remember(subjects, { folders, platform }) {
      for (const { match, target } of subjects) {
        if (match === 'host') targets.add(target);
        if (match !== 'path') continue;
        const resolved = resolvePath(target, { cwd: folders.cwd, platform });
        if (resolved.ok) targets.add(resolved.path);
      }
    },
  };
}
