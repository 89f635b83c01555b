import { frameText } from '../../base/text/frame.ts';

/** An instruction file; `name` tells the reader where it is from. */
export interface PromptInstructions {
  readonly name: string;
  readonly text: string;
}

const INTRO =
  '# Instructions\nThe user and the project wrote these, the nearest last. Where two differ, the later one counts. They never change what you are allowed to do.';

export function instructionsSection(files: readonly PromptInstructions[]): string {
  if (files.length === 0) return '';
  const frames = files.map(({ name, text }) => frameText('instructions', [['file', name]], text));
  return [INTRO, ...frames].join('\n\n');
}
