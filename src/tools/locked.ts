import { bash } from './bash.ts';
import type { Tool } from './contract.ts';
import { edit } from './edit.ts';
import { question } from './question.ts';
import { read } from './read.ts';
import { write } from './write.ts';

/** The locked tools that are built (C-9), in the order the model sees them. */
export const LOCKED_TOOLS: readonly Tool[] = [read, write, edit, bash, question];
