import type { Action } from '../../../permissions/rules/rule.ts';
import { type Entry, leaveOut, REASONS, type RuleTarget } from './entry.ts';

/** What a rule about files allows: reading or changing them. */
export type Access = 'read' | 'edit';

/** A pattern about files, already in the form of Gatehouse's: `*` within a name, `**` across folders. */
export interface WrittenPath {
  readonly written: string;
  readonly action: Action;
  readonly access: Access;
  readonly pattern: string;
  /** A name without wildcards isn't a folder with everything below it. */
  readonly exact?: true;
}

/** The tools that an allow covers. What commands read or write stays with the rules about commands. */
const ALLOWED: Readonly<Record<Access, readonly string[]>> = {
  read: ['read'],
  edit: ['edit', 'write'],
};

/** A deny or ask covers commands and tools of other sources too. */
const TIGHTENED: Readonly<Record<Access, string>> = { read: 'fs.read', edit: 'fs.write' };

/** Converts a pattern about files. An allow never matches more than it, a deny or ask never less. */
export function toPathEntry({ written, action, access, pattern, exact }: WrittenPath): Entry {
  const everything = /^(?:\*\*?|\*\*\/\*\*?|)$/.test(pattern);
  if (action !== 'allow') {
    if (everything && action === 'ask') {
      return leaveOut(written, action, REASONS.asksAnyway, allFiles(access));
    }
    const patterns = everything ? ['*'] : withBelow(pattern);
    const permission = TIGHTENED[access];
    return { written, action, targets: patterns.map((each) => ({ permission, pattern: each })) };
  }
  if (everything && access === 'edit') return leaveOut(written, action, REASONS.allEdits);
  // Gatehouse's `src/**` is also about `src`, which is harmless only if that is one folder.
  const short = pattern.replace(/(?:\/\*\*)+(?=\/\*\*)/g, '');
  const inside = short.replace(/((?:[*?\]]|,.*\})[^/]*)\/\*\*$/, '$1/*/**');
  const allowed = everything ? '{workspace}/**' : inside;
  const targets = ALLOWED[access].map((permission) => ({ permission, pattern: allowed }));
  const reason = everything ? { reason: REASONS.insideWorkspace } : {};
  if (exact !== true || WILDCARD.test(allowed)) return { written, action, targets, ...reason };
  const below = targets.map((each) => ({ ...each, pattern: `${each.pattern}/*/**` }));
  return { written, action, targets, except: below };
}

/** All that an entry about files which can't be expressed may deny. */
export function allFiles(access: Access): readonly RuleTarget[] {
  return [{ permission: TIGHTENED[access], pattern: '*' }];
}

const WILDCARD = /(?<!\\)[*?[{]/;

/** A pattern with wildcards matches a folder, but not what is below it. */
function withBelow(pattern: string): readonly string[] {
  return WILDCARD.test(pattern) && !pattern.endsWith('/**')
    ? [pattern, `${pattern}/**`]
    : [pattern];
}

/** Escapes what is special in Gatehouse's patterns and not in those of `.gitignore`. */
export function escapeBraces(pattern: string): string {
  return pattern.replace(/[{}]/g, (char) => `\\${char}`);
}
