import { HIDDEN } from '../hidden.ts';

/** A text as its reader sees it, and how many characters were removed for that. */
export interface VisiblePart {
  readonly text: string;
  readonly hidden: number;
}

/** Removes characters that hide words from the reader of a file. */
export function removeInvisible(raw: string): VisiblePart {
  let hidden = 0;
  const text = raw.replace(INVISIBLE, (character) => {
    if (/\s/.test(character)) return character;
    hidden += 1;
    return '';
  });
  return { text, hidden };
}

/** Why a file is named to the user although it counts. */
export function toHiddenNote(hidden: number): string {
  return `${hidden} invisible characters were removed from it.`;
}

/** Joiners are parts of emoji and of some languages. */
const INVISIBLE = new RegExp(`(?![\\u200C\\u200D\\uFE0F])(?:${HIDDEN})`, 'gu');
