import type { Act, CommandAct } from './acts.ts';

/** The acts of one line that were already evaluated. */
export interface Seen {
  /** Whether the same act was passed before; remembers it. `text` is its display text. */
  has(act: Act, text: string): boolean;
}

/**
 * Evaluating an act twice gives the same result, so skipping repeated acts keeps long lines cheap.
 */
export function createSeen(): Seen {
  const alone = new Map<string, Act>();
  const several = new Map<string, Set<string>>();
  return {
    has(act, text) {
      const first = alone.get(text);
      if (first === undefined) {
        alone.set(text, act);
        return false;
      }
      // Most texts occur once, so full keys are only built for repeated texts.
      const known = several.get(text) ?? new Set([toKey(first)]);
      const { size } = known;
      known.add(toKey(act));
      several.set(text, known);
      return size === known.size;
    },
  };
}

function toKey(act: Act): string {
  if (act.kind === 'host') return `host\0${act.role}\0${act.url}`;
  if (act.kind === 'command') return toCommandKey(act);
  const {
    access,
    role,
    target,
    sweep,
    unsure,
    only,
    includes,
    follows,
    past,
    arrives,
    unsettled,
    ignored,
    without,
    archive,
    carries,
    passed,
    unlessThere,
    doubt,
    misread,
    folders,
  } = act;
  const left = without?.map(({ kind, pattern }) => `${kind} ${pattern}`).join('\x01');
  const state = [
    past,
    arrives,
    unsettled,
    archive,
    carries,
    passed,
    unlessThere?.join('\x01'),
    ignored === undefined,
  ];
  const below = [sweep, includes, unsure, only, follows, ...state, left];
  return ['file', access, role, target, ...below, doubt, misread, ...folders].join('\0');
}

function toCommandKey(act: CommandAct): string {
  const { words, doubt = '', tightensOnly, shell, folders, why, listed } = act;
  const guessed = tightensOnly === true;
  let key = `command\0${shell ?? ''}\0${guessed}\0${doubt}\0${folders?.join()}\0${why ?? ''}\0${listed}`;
  for (const { literal, value } of words) key += literal ? `\0${value}` : `\x01${value}`;
  return key;
}
