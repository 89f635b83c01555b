import { CODE_PROGRAMS } from './codePrograms.ts';
import { FILE_PROGRAMS } from './filePrograms.ts';
import type { Program } from './program.ts';
import { PUBLISHERS } from './publishers.ts';
import { SEARCH_PROGRAMS } from './searchPrograms.ts';
import { TEXT_PROGRAMS } from './textPrograms.ts';
import { TOOL_PROGRAMS } from './toolPrograms.ts';

/**
 * Programs with relevant flags. For a program without a row, only the rule for the command decides.
 */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  ...TEXT_PROGRAMS,
  ...SEARCH_PROGRAMS,
  ...FILE_PROGRAMS,
  ...CODE_PROGRAMS,
  ...TOOL_PROGRAMS,
  ...PUBLISHERS,
};
