import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { MB } from '../base/units.ts';

/** Up to this many characters of both texts together a proposal is sent whole. */
const WHOLE_CHARACTERS = 8 * MB;
/** Lines of context around the changed window of a larger one. */
const CONTEXT_LINES = 20;

/** A proposed file: absolute path, and both texts. `oldText` is absent for a new file. */
export interface Proposal {
  readonly path: string;
  readonly oldText?: string;
  readonly newText: string;
}

/**
 * A proposal as ACP diff content. Messages are limited to 32 MiB, so of a huge file only the
 * window that changes is sent, and its first line says where it lies.
 */
export function toDiffContent(proposal: Proposal): ToolCallContent {
  const { path, oldText, newText } = proposal;
  const size = (oldText?.length ?? 0) + newText.length;
  if (size <= WHOLE_CHARACTERS || oldText === undefined) {
    return { type: 'diff', path, oldText: oldText ?? null, newText };
  }
  const { start, oldEnd, newEnd, line } = changedWindow(oldText, newText);
  return {
    type: 'diff',
    path,
    oldText: oldText.slice(start, oldEnd),
    newText: newText.slice(start, newEnd),
    _meta: { gatehouse: { line, partial: true } },
  };
}

interface Window {
  readonly start: number;
  readonly oldEnd: number;
  readonly newEnd: number;
  /** Of the window's first row in the old text, from 1. */
  readonly line: number;
}

/** What is left between the common beginning and end, widened to whole lines of context. */
function changedWindow(oldText: string, newText: string): Window {
  const shortest = Math.min(oldText.length, newText.length);
  let head = 0;
  while (head < shortest && oldText.charCodeAt(head) === newText.charCodeAt(head)) head++;
  let tail = 0;
  const rest = shortest - head;
  while (
    tail < rest &&
    oldText.charCodeAt(oldText.length - 1 - tail) === newText.charCodeAt(newText.length - 1 - tail)
  ) {
    tail++;
  }
  const start = linesBefore(oldText, head);
  const after = linesAfter(oldText, oldText.length - tail) - (oldText.length - tail);
  return {
    start,
    oldEnd: oldText.length - tail + after,
    newEnd: newText.length - tail + after,
    line: countLines(oldText, start) + 1,
  };
}

function linesBefore(text: string, from: number): number {
  let at = from;
  for (let lines = 0; lines <= CONTEXT_LINES && at > 0; lines++) {
    at = text.lastIndexOf('\n', at - 1);
    if (at < 0) return 0;
  }
  return at <= 0 ? at : at + 1;
}

function linesAfter(text: string, from: number): number {
  let at = from;
  for (let lines = 0; lines <= CONTEXT_LINES; lines++) {
    const next = text.indexOf('\n', at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  return at;
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
