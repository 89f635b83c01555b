import type { ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { readDiffMeta, readToolCallMeta, type ToolCallMeta } from '../../acp/gatehouse/session.ts';
import { asString, toRecord } from '../../base/json.ts';
import { toOutputEnd, toOutputStart } from '../../base/text/outputText.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import {
  IN_BACKGROUND,
  showsEnd,
  type ToolItem,
  type ToolStatus,
} from '../../webview/messages/chatState.ts';
import type { ToolDiff } from '../../webview/messages/diff.ts';
import { cutRows, diffLines, type LineDiff } from '../review/lineDiff.ts';
import { toPatternText, toReference } from '../text/ruleText.ts';

/** Converts a path to its display form. */
export type PathLabel = (path: string) => string;

/** Maximum number of characters of output in a card. The session keeps the complete output. */
export const OUTPUT_EXCERPT = 4_000;

/**
 * Applies a `tool_call` or `tool_call_update` to a card. Absent fields keep their value; `content`
 * and `locations` replace the previous ones. Without `now`, the update is of the past.
 */
export function updateToolItem(
  known: ToolItem | undefined,
  update: ToolCallUpdate,
  label: PathLabel,
  now?: number,
): ToolItem {
  const { proposed, ...base } = known ?? emptyItem(update.toolCallId);
  const meta = readToolCallMeta(update);
  const { rule, rules, command, layer, isolation, revertable, subagent } = meta;
  const approvedBy = rules ?? (rule === undefined ? [] : [rule]);
  const status = toNextStatus(base.status, toStatus(update.status, meta.ended));
  const toolKind = update.kind ?? base.toolKind;
  // Then nothing is written, and what the user made of the proposal was not what was rejected.
  const isRejected = status === 'failed' || status === 'denied' || status === 'aborted';
  const isEdited = proposed !== undefined && update.content == null;
  return {
    ...base,
    ...(isEdited && (isRejected ? { diffs: proposed } : { proposed })),
    title: getTitle(update, base, label),
    toolKind,
    status,
    ...getTimes(base, status, meta.ranMs, now),
    ...(update.locations != null && { locations: toLocations(update.locations, label) }),
    ...(update.content != null && fromContent(update.content, label)),
    ...getOutput(update, { ...base, toolKind, status }, meta.outputEnd),
    ...(command !== undefined && { command: toVisible(command).text }),
    ...getEnded(update.rawOutput),
    ...getQuestions(update, base),
    ...(approvedBy.length > 0 && {
      rule: toPatternText(approvedBy),
      rules: approvedBy.map((each) => toReference(each)),
    }),
    ...(isolation !== undefined && { isolation }),
    ...(revertable && { revertable }),
    ...(subagent !== undefined && { subagent }),
    ...(layer === 'user' && { allowedByUser: true as const }),
  };
}

/** Replaces paths in a title by their display form. */
function getTitle(update: ToolCallUpdate, base: ToolItem, label: PathLabel): string {
  const title = toVisible(update.title ?? base.title).text;
  const locations = update.locations ?? base.locations;
  return locations.reduce(
    (text, { path }) => text.replaceAll(toVisible(path).text, label(path)),
    title,
  );
}

function emptyItem(id: string): ToolItem {
  return {
    kind: 'tool',
    id,
    title: id,
    toolKind: 'other',
    status: 'pending',
    diffs: [],
    terminals: [],
    output: '',
    outputCut: false,
    locations: [],
  };
}

/** ACP has one status for failed, denied and aborted calls; the card distinguishes them. */
function toStatus(
  status: ToolCallUpdate['status'],
  ended: ToolCallMeta['ended'],
): ToolStatus | undefined {
  if (status === 'failed' && ended !== undefined) return ended;
  return status ?? undefined;
}

/** What a call has done stays done, whatever comes late. */
function toNextStatus(known: ToolStatus, next: ToolStatus = known): ToolStatus {
  return known === 'completed' && (next === 'pending' || next === 'in_progress') ? known : next;
}

function toLocations(
  locations: NonNullable<ToolCallUpdate['locations']>,
  label: PathLabel,
): ToolItem['locations'] {
  return locations.map(({ path, line }) => ({
    path,
    label: label(path),
    ...(line == null ? {} : { line }),
  }));
}

function fromContent(content: readonly ToolCallContent[], label: PathLabel) {
  const diffs: ToolDiff[] = [];
  const terminals: string[] = [];
  for (const part of content) {
    if (part.type === 'diff') diffs.push(toDiff(part, label));
    if (part.type === 'terminal') terminals.push(part.terminalId);
  }
  return { diffs: joinByPath(diffs), terminals };
}

function toDiff(part: Extract<ToolCallContent, { type: 'diff' }>, label: PathLabel): ToolDiff {
  const { path, oldText, newText } = part;
  const meta = readDiffMeta(part);
  if (meta.document) {
    return { path, label: label(path), created: false, document: true, ...toDocumentRows(newText) };
  }
  const deleted = meta.deleted && { deleted: true as const };
  const lines = toDiffRows(oldText ?? '', newText);
  return { path, label: label(path), created: oldText == null, ...deleted, ...lines };
}

/** A line diff for a card. The user approves these lines, so nothing in them may be invisible. */
export function toDiffRows(oldText: string, newText: string): LineDiff {
  const lines = diffLines(oldText, newText);
  const rows = lines.rows.map((row) =>
    row.sign === 'gap' ? row : { sign: row.sign, text: toVisible(row.text).text },
  );
  return { ...lines, rows };
}

/** A document on a card: all its lines, since the user may approve it there. */
export function toDocumentRows(text: string): LineDiff {
  const lines = toVisible(text).text.split('\n');
  const rows = lines.slice(0, DOCUMENT_ROWS).map((line) => ({ sign: ' ' as const, text: line }));
  return { added: 0, removed: 0, rows, more: lines.length - rows.length };
}

const DOCUMENT_ROWS = 2_000;

/** Agents send one diff per hunk; the card shows one per file. */
function joinByPath(diffs: readonly ToolDiff[]): readonly ToolDiff[] {
  const byPath = new Map<string, ToolDiff>();
  for (const diff of diffs) {
    const first = byPath.get(diff.path);
    if (first === undefined) byPath.set(diff.path, diff);
    else {
      const { rows, more } = cutRows([...first.rows, { sign: 'gap' }, ...diff.rows]);
      byPath.set(diff.path, {
        ...first,
        added: first.added + diff.added,
        removed: first.removed + diff.removed,
        rows,
        more: first.more + diff.more + more,
      });
    }
  }
  return [...byPath.values()];
}

/** A question stays with its answer, which is all that the card of the request leaves. */
function getQuestions(
  { rawInput, rawOutput }: ToolCallUpdate,
  base: ToolItem,
): Pick<ToolItem, 'questions'> {
  const asked = toQuestions(toRecord(rawInput)['questions']) ?? base.questions;
  if (asked === undefined) return {};
  const answers = toRecord(toRecord(rawOutput)['data'])['answers'];
  if (!Array.isArray(answers) || answers.length !== asked.length) return { questions: asked };
  return {
    questions: asked.map(({ question }, at) => ({ question, answers: toLines(answers[at]) })),
  };
}

function toQuestions(value: unknown): ToolItem['questions'] {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const texts = value.map((each) => asString(toRecord(each)['question']));
  if (!texts.every((text) => text !== undefined)) return undefined;
  return texts.map((text) => ({ question: toVisible(text).text }));
}

function toLines(answer: unknown): readonly string[] {
  if (!Array.isArray(answer)) return [];
  return answer.flatMap((each) => (typeof each === 'string' ? toVisible(each).text : []));
}

/** The host measures its own commands. What others run is timed here. */
function getTimes(
  { status: before, startedAt }: ToolItem,
  status: ToolStatus,
  ranMs: number | undefined,
  now: number | undefined,
): Pick<ToolItem, 'startedAt' | 'ranMs'> {
  if (ranMs !== undefined) return { ranMs };
  if (now === undefined || status === before) return {};
  if (status === 'in_progress') return startedAt === undefined ? { startedAt: now } : {};
  return startedAt === undefined || status === 'pending' ? {} : { ranMs: now - startedAt };
}

function getOutput(
  update: ToolCallUpdate,
  base: ToolItem,
  outputEnd: string | undefined,
): Pick<ToolItem, 'output' | 'outputCut'> {
  const texts = (update.content ?? []).flatMap((part) =>
    part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [],
  );
  const whole =
    texts.length > 0
      ? texts.join('\n')
      : (errorText(update.rawOutput) ?? commandText(update.rawOutput));
  // What a stopped call had printed says more than that it was stopped.
  const isKept = base.status === 'aborted' && base.output !== '' && update.rawOutput === undefined;
  if (whole === undefined || isKept) return { output: base.output, outputCut: base.outputCut };
  const atEnd = showsEnd(base.toolKind);
  const { text, cut } = atEnd
    ? toOutputEnd(outputEnd ?? whole, OUTPUT_EXCERPT)
    : toOutputStart(whole, OUTPUT_EXCERPT);
  return { output: text, outputCut: cut || outputEnd !== undefined };
}

/** The envelope's `error_text`, for failed calls without content. */
function errorText(rawOutput: unknown): string | undefined {
  return asString(toRecord(rawOutput)['error_text']);
}

/** A command's output. Its terminal may be closed or belong to another window. */
function commandText(rawOutput: unknown): string | undefined {
  const data = toRecord(toRecord(rawOutput)['data']);
  if (data['exit_code'] === undefined) return undefined;
  return (asString(data['output']) ?? asString(data['head']) ?? '').trimEnd();
}

/** How a command ended. */
function getEnded(rawOutput: unknown): Pick<ToolItem, 'ended'> {
  const { exit_code: exit, signal, running } = toRecord(toRecord(rawOutput)['data']);
  if (typeof signal === 'string') return { ended: signal };
  if (typeof exit === 'number') return { ended: exit };
  return exit === null && Array.isArray(running) ? { ended: IN_BACKGROUND } : {};
}
