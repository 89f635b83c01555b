import { readHeadInBlocks } from '../../base/disk/readRegular.ts';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { MB } from '../../base/units.ts';

/** A message's attachments are the largest part of a line. Bytes. */
const LINE_BYTES = 64 * MB;

export interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

/**
 * Reads a file line by line without holding more than one line and one block. `take` gets the lines of a
 * block, and must not keep the thread; what it throws is the error of the outcome, as is a line that is no
 * UTF-8 or too long.
 */
export async function readLineBlocks(
  file: string,
  take: (lines: readonly Line[]) => void,
): Promise<Outcome<void>> {
  let number = 0;
  let rest: Buffer[] = [];
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const toLine = (bytes: Buffer): Line => {
    number += 1;
    try {
      return { text: decoder.decode(bytes), number };
    } catch {
      throw new Error(`line ${number}: It is not UTF-8.`);
    }
  };
  const split = (block: Buffer) => {
    const lines: Line[] = [];
    let from = 0;
    for (let end = block.indexOf(LF); end >= 0; end = block.indexOf(LF, from)) {
      lines.push(toLine(Buffer.concat([...rest, block.subarray(from, end)])));
      rest = [];
      from = end + 1;
    }
    // The block is used again.
    if (from < block.length) rest.push(Buffer.from(block.subarray(from)));
    const length = rest.reduce((sum, each) => sum + each.length, 0);
    if (length > LINE_BYTES) {
      throw new Error(`line ${number + 1}: It is longer than ${LINE_BYTES / MB} MB.`);
    }
    return lines;
  };
  const read = await readHeadInBlocks(file, Number.MAX_SAFE_INTEGER, (block) => take(split(block)));
  if (read.state === 'absent') return failure(`${file} does not exist.`);
  if (read.state === 'unreadable') return failure(`${file}: ${read.why}`);
  try {
    if (rest.length > 0) take([toLine(Buffer.concat(rest))]);
    return success(undefined);
  } catch (fault) {
    return failure(`${file}: ${getMessage(fault)}`);
  }
}

const LF = 10;
