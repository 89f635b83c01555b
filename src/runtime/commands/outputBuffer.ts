import { StringDecoder } from 'node:string_decoder';
import type { Outcome } from '../../base/outcome.ts';
import { KB, MB } from '../../base/units.ts';
import type { SidecarStream } from '../sidecars.ts';
import { cutText, cutUtf8 } from '../text.ts';
import { createKeptOutput } from './keptOutput.ts';

/**
 * Buffers a command's output: the head in memory and, once it is longer, everything in a sidecar.
 */
export interface OutputBuffer {
  add(bytes: Buffer): void;
  /** Closes the sidecar. */
  finish(): Promise<Collected>;
  /** Returns the output so far; the sidecar keeps growing. */
  peek(): Promise<Collected>;
}

export interface Collected {
  readonly text: string;
  /** The output is longer than `text`. */
  readonly truncated: boolean;
  /** The end of the output, when it is longer than `text`. */
  readonly end?: string;
  readonly sidecar?: Outcome<string>;
}

export interface OutputBufferOptions {
  /** Bytes kept in memory and returned to the model. */
  readonly max: number;
  readonly openSidecar: () => SidecarStream;
  /** Writes the sidecar from the first byte, however short the output is. */
  readonly always: boolean;
  /**
   * Called with true when the disk is slower than the command, and with false when it has caught
   * up.
   */
  readonly throttle: (wait: boolean) => void;
}

export function createOutputBuffer(options: OutputBufferOptions): OutputBuffer {
  const { max, openSidecar, always, throttle } = options;
  const head: Buffer[] = [];
  const last = createKeptOutput({ head: 0, tail: END_BYTES });
  let size = 0;
  let queued = 0;
  let sidecar = always ? openSidecar() : undefined;
  let writing: Promise<void> = Promise.resolve();

  function enqueue(bytes: Buffer): void {
    const stream = sidecar;
    if (stream === undefined) return;
    queued += bytes.length;
    if (queued > QUEUE_BYTES) throttle(true);
    writing = writing.then(async () => {
      await stream.write(bytes);
      queued -= bytes.length;
      if (queued === 0) throttle(false);
    });
  }

  // Creates the file at once, because its path is reported before there is any output.
  if (always) enqueue(Buffer.alloc(0));

  return {
    add(bytes) {
      if (size <= max) head.push(bytes);
      size += bytes.length;
      last.add(bytes);
      if (size > max && sidecar === undefined) openNow();
      else enqueue(bytes);
    },
    finish: () => written(() => sidecar?.end()),
    peek: () => written(() => sidecar?.state()),
  };

  async function written(find: () => FileState | Promise<FileState>): Promise<Collected> {
    const shown = collect();
    await writing;
    const file = await find();
    return { ...shown, ...(file && { sidecar: file }) };
  }

  /** Invalid UTF-8 takes more bytes as text than it had before, so cut the text again. */
  function collect() {
    const whole = cutUtf8(Buffer.concat(head), max).toString('utf8');
    const text = cutText(whole, max);
    const truncated = size > max || text !== whole;
    if (truncated && sidecar === undefined) openNow();
    return { text, truncated, ...(truncated && { end: last.read().tail }) };
  }

  function openNow() {
    sidecar = openSidecar();
    for (const part of head) enqueue(part);
  }
}

/** The sidecar, if there is one. */
type FileState = Outcome<string> | undefined;

/** Bytes of the end that are kept: more than a card shows. */
const END_BYTES = 16 * KB;
/** Bytes that may be queued for the disk. */
const QUEUE_BYTES = 4 * MB;

/**
 * Passes output to the pane in whole characters. Drops part of a flood, which no one can read, so
 * that the editor stays responsive.
 */
export function createPaneText(show: (text: string) => void): (bytes: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let since = 0;
  let shown = 0;
  let left = 0;
  return (bytes) => {
    const text = decoder.write(bytes);
    const now = performance.now();
    if (now - since > 1000) {
      if (left > 0) show(`\r\n[… ${left} bytes are not shown …]\r\n`);
      since = now;
      shown = 0;
      left = 0;
    }
    shown += bytes.length;
    if (shown > PANE_BYTES) left += bytes.length;
    else if (text !== '') show(text);
  };
}

/** Bytes per second that a pane receives. */
const PANE_BYTES = 2 * MB;
