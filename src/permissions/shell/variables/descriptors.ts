import type { Redirect } from 'unbash';
import { describeReopened } from '../doubts.ts';
import type { Stream, Walk } from '../walkState.ts';

/**
 * Linux opens the file behind a name such as `/dev/stdin` once more, for what the new redirection wants:
 * `echo x < a > /dev/stdin` writes `a`. So only the usual use of a stream is free of files.
 */
type Descriptors = Pick<Walk, 'reopened' | 'crossed'>;

/** The descriptor that the path names; undefined if it is the path of a file. */
export function toDescriptor(path: string): number | undefined {
  const [, name, digits] = /^\/dev\/(?:std(in|out|err)|fd\/(\d+))$/.exec(path) ?? [];
  if (name !== undefined) return ['in', 'out', 'err'].indexOf(name);
  return digits === undefined ? undefined : Number(digits);
}

function toStream(descriptor: number): Stream {
  if (descriptor === 0) return 'in';
  return descriptor <= 2 ? 'out' : 'other';
}

/** Notes what a redirection makes of its descriptor. */
export function addDescriptor(
  { operator, descriptor }: Redirect,
  target: string,
  { crossed }: Descriptors,
): void {
  if (descriptor?.type === 'FileDescriptorVariable') return;
  const stream = toStream(descriptor?.value ?? (operator.startsWith('<') ? 0 : 1));
  const copied = /^[<>]&$/.test(operator) ? /^(\d+)-?$/.exec(target)?.[1] : undefined;
  if (copied !== undefined) {
    const from = toStream(Number(copied));
    if (from !== stream || from === 'other') crossed.add(stream);
  } else if (stream !== (operator === '<' ? 'in' : 'out') && operator !== '<>') crossed.add(stream);
}

/** Why it isn't certain what a redirection to such a name reads or writes. Undefined: its usual stream. */
export function findReopened(
  { operator }: Redirect,
  path: string,
  { reopened }: Descriptors,
): string | undefined {
  const stream = toStream(toDescriptor(path) ?? 0);
  if (stream !== (operator === '<' ? 'in' : 'out') || operator === '<>')
    return describeReopened(path);
  reopened.set(stream, path);
  return undefined;
}

/** The doubt about a line that opens a stream again, and may have made another file of it. */
export function findCrossed({ reopened, crossed }: Descriptors): string | undefined {
  const [path] = [...reopened].flatMap(([stream, each]) => (crossed.has(stream) ? [each] : []));
  return path === undefined ? undefined : describeReopened(path);
}
