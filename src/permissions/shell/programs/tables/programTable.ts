import { CODE_PROGRAMS } from './tables/codePrograms.ts';
import { FILE_PROGRAMS } from './tables/filePrograms.ts';
import type { Program } from './tables/program.ts';
import { TEXT_PROGRAMS } from './tables/textPrograms.ts';
import { TOOL_PROGRAMS } from './tables/toolPrograms.ts';

/**
 * Programs with relevant flags. For a program without a row, only the rule for the command decides.
 */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  ...TEXT_PROGRAMS,
  ...FILE_PROGRAMS,
  ...CODE_PROGRAMS,
  ...TOOL_PROGRAMS,
};
