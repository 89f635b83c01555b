import { processMark } from '../../../../src/base/disk/processMark.ts';

/** The mark of a process that ended here: its id is above what a kernel gives out. */
export const DEAD = processMark().replace(/^\d+/, String(2 ** 30));
