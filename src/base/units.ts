/** 1 KB is 1024 bytes everywhere (spec decision 21). */
export const KB = 1024;
export const MB = 1024 * KB;
export const GB = 1024 * MB;
/** Longest delay of a timer in milliseconds; a longer one would fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;
