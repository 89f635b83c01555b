import path from 'node:path';
import type { ToolDisplay } from '../base/stream/chunk.ts';
import type { Decision } from '../permissions/rules/policy.ts';
import { type ProtectedChange, toText } from '../runtime/protectedFiles.ts';
import { diffContent } from './hunks.ts';

/** The changes that the user was not asked about: an answered ask names the file or a folder above it. */
export function findUnasked(
  changes: readonly ProtectedChange[],
  { decision, subjects }: Pick<Decision, 'decision' | 'subjects'>,
): readonly ProtectedChange[] {
  if (decision !== 'ask') return changes;
  const asked = subjects.filter(({ permission }) => WRITES.has(permission));
  return changes.filter((change) => !asked.some(({ target }) => covers(target, change.path)));
}

const WRITES: ReadonlySet<string> = new Set(['fs.write', 'write', 'edit']);

/** A target is written relative to a folder of the line, so the end of the path is compared. */
function covers(target: string, changed: string): boolean {
  const name = path.posix
    .normalize(target.replaceAll('\\', '/'))
    .replace(/^(?:\.\.?\/)+|\/+$/g, '');
  if (name === '' || name === '.' || name === '..') return false;
  return `${changed.replaceAll('\\', '/')}/`.includes(`/${name}/`.replace('//', '/'));
}

/** Adds what changed to a call's card, below its other content. */
export function withProtectedChanges(
  shown: ToolDisplay,
  changes: readonly ProtectedChange[],
): ToolDisplay {
  if (changes.length === 0) return shown;
  const names = changes.map((change) => change.path).join(', ');
  const text = `Changed while this command ran, without being asked about: ${names}`;
  const diffs = changes.slice(0, SHOWN).flatMap(toDiff);
  return {
    ...shown,
    locations: [...(shown.locations ?? []), ...changes.map((change) => ({ path: change.path }))],
    content: [...(shown.content ?? []), { type: 'text', text }, ...diffs],
  };
}

const SHOWN = 20;

function toDiff({ path: file, before, after }: ProtectedChange) {
  const [oldText, newText] = [toText(before), toText(after)];
  // Bytes that are no text, or too many, have no diff.
  if (oldText === null || newText === null) return [];
  return diffContent(file, oldText, newText);
}
