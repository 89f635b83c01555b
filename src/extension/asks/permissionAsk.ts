import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { toMeta } from '../../acp/gatehouse/parse.ts';
import {
  type PermissionMeta,
  type PermissionReplyMeta,
  type PermissionWhy,
  readOptionMeta,
  readPermissionMeta,
  type WireEntry,
  type WirePartOffer,
} from '../../acp/gatehouse/permission.ts';
import { isRecord } from '../../base/json.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import type { Isolation } from '../../base/tools/isolation.ts';
import { SAMPLING } from '../../base/tools/mcpServer.ts';
import { getToolFacts } from '../../base/tools/toolFacts.ts';
import type {
  AskAnswer,
  AskEdit,
  AskOption,
  AskPart,
  OptionKind,
  PartRules,
  PermissionAsk,
} from '../../webview/messages/asks.ts';
import type { ToolLocation } from '../../webview/messages/chatState.ts';
import type { ToolDiff } from '../../webview/messages/diff.ts';
import { toPatternText, toReference } from '../text/ruleText.ts';
import { toWhyText, withLabels } from '../text/whyText.ts';

/**
 * Converts a `session/request_permission` request to an ask. Throws `WireError` if the host's
 * metadata in it is invalid.
 */
export function toPermissionAsk(
  request: RequestPermissionRequest,
  known: KnownCall,
  id: string,
  since: number,
): PermissionAsk {
  const { toolCall } = request;
  const meta = readPermissionMeta(request);
  const asked = findAsked(toolCall, meta);
  const labels = asked.map((each) => known.locations?.find(({ path }) => path === each)?.label);
  const subject = toVisible(asked.map((each, at) => labels[at] ?? each).join('\n'));
  return {
    kind: 'permission',
    id,
    toolCallId: toolCall.toolCallId,
    title: getTitle(toolCall, meta, known),
    toolKind: toolCall.kind ?? 'other',
    subject: subject.text,
    length: asked.join('\n').length,
    suspicious: subject.suspicious,
    why: withLabels(toWhyText(meta?.why), known.locations ?? []),
    ...toWhyRule(meta?.why),
    ...toNear(meta?.why),
    ...(meta?.cwd !== undefined && { cwd: toVisible(known.folder?.(meta.cwd) ?? meta.cwd).text }),
    ...(known.isolation && { isolation: known.isolation }),
    parts: toParts(meta, known),
    diff: known.diffs.length > 0 || (toolCall.content ?? []).some((part) => part.type === 'diff'),
    diffs: known.diffs,
    ...toEntries(meta, known),
    options: toOptions(request.options),
    offers: {
      allow: (meta?.offers?.allow ?? []).map(toPartRules),
      deny: (meta?.offers?.deny ?? []).map(toPartRules),
    },
    ...toEdit(request, meta),
    since: meta?.since ?? since,
  };
}

/**
 * The card's own title; what came of a command in a copy, and what is asked while a call runs, such as a redirect or
 * what its server asks of the model, are other matters than the call.
 */
function getTitle(
  { name, title, toolCallId }: ToolCallUpdate,
  meta: PermissionMeta | undefined,
  known: KnownCall,
): string {
  const own = title == null ? undefined : toVisible(title).text;
  const isOther = known.isolation === 'copy' || name === SAMPLING || meta?.aside === true;
  if (isOther && own !== undefined) return own;
  return known.title ?? own ?? toolCallId;
}

function toEntries(
  meta: PermissionMeta | undefined,
  known: KnownCall,
): Pick<PermissionAsk, 'entries'> {
  if (meta?.entries === undefined) return {};
  const toEntry = ({ id, target, text }: WireEntry) => ({
    ...{ id, text: toVisible(text).text, kept: true },
    ...(target !== undefined && { part: toPartText(target, known) }),
  });
  return { entries: meta.entries.map(toEntry) };
}

function toWhyRule(why: PermissionWhy | undefined): Pick<PermissionAsk, 'whyRule'> {
  const { rule, origin } = why ?? {};
  return rule === undefined || origin === undefined ? {} : { whyRule: toReference(rule, origin) };
}

function toNear(why: PermissionWhy | undefined): Pick<PermissionAsk, 'near'> {
  const { near } = why ?? {};
  if (near === undefined) return {};
  return { near: { text: toVisible(near.reason).text, rule: toReference(near.rule) } };
}

/** Each subject once, in the host's order. */
function toParts(meta: PermissionMeta | undefined, known: KnownCall): readonly AskPart[] {
  const parts = (meta?.subjects ?? []).map(({ target, decision, reason, risk }): AskPart => {
    return {
      text: toPartText(target, known),
      decision,
      ...(reason !== undefined && {
        reason: withLabels(toVisible(reason).text, known.locations ?? []),
      }),
      ...(risk !== undefined && { risk }),
    };
  });
  const seen = new Map(parts.map((part) => [`${part.decision}\0${part.text}\0${part.risk}`, part]));
  return [...seen.values()];
}

/** A file by its label. */
function toPartText(target: string, { locations }: KnownCall): string {
  const label = locations?.find(({ path }) => path === target)?.label;
  return toVisible(label ?? target).text;
}

function toPartRules({ target, patterns }: WirePartOffer): PartRules {
  return {
    part: toVisible(target).text,
    rules: patterns.map(({ rule, alsoMatches }) => ({
      rule: { permission: rule.permission, pattern: rule.pattern, action: rule.action },
      text: toVisible(toPatternText([rule])).text,
      alsoMatches: alsoMatches.map((each) => toVisible(each).text),
    })),
  };
}

/** The arguments to edit: a command as it is, other arguments as JSON. A proposal has its diff. */
function toEdit(
  { toolCall }: RequestPermissionRequest,
  meta: PermissionMeta | undefined,
): { readonly edit?: AskEdit } {
  const proposes = (toolCall.content ?? []).some((part) => part.type === 'diff');
  if (meta?.editable !== true || proposes) return {};
  const input = meta.edit?.input ?? toolCall.rawInput;
  if (!isRecord(input)) return {};
  const error = meta.edit === undefined ? {} : { error: toVisible(meta.edit.error).text };
  const key = findCommandKey(toolCall, meta);
  const command = key === undefined ? undefined : input[key];
  return key !== undefined && typeof command === 'string'
    ? { edit: { form: 'command', key, text: command, ...error } }
    : { edit: { form: 'json', text: JSON.stringify(input, undefined, 2), ...error } };
}

/** The argument that holds the command line. The model may write the same text into another one, too. */
function findCommandKey(
  { name, rawInput }: ToolCallUpdate,
  { command }: PermissionMeta,
): string | undefined {
  if (command === undefined || !isRecord(rawInput)) return undefined;
  const keys = Object.keys(rawInput).filter((key) => rawInput[key] === command);
  const own = getToolFacts(name ?? '')?.argument;
  return keys.length === 1 ? keys[0] : keys.find((key) => key === own);
}

/** The edited arguments for the reply. Undefined if the text is not an object in JSON. */
function toEditedInput(
  { toolCall }: RequestPermissionRequest,
  { key }: AskEdit,
  edited: string,
): unknown {
  if (key !== undefined) {
    return isRecord(toolCall.rawInput) ? { ...toolCall.rawInput, [key]: edited } : undefined;
  }
  try {
    const parsed: unknown = JSON.parse(edited);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** What the chat already shows of the call. */
export interface KnownCall {
  readonly title?: string;
  readonly diffs: readonly ToolDiff[];
  /** Converts a folder to its display form. */
  readonly folder?: (path: string) => string;
  /** Where its programs will run. */
  readonly isolation?: Isolation;
  /** The files of a call about files; empty for commands, which are shown unchanged. */
  readonly locations?: readonly ToolLocation[];
}

/** Converts the answer to the ACP response, with what the user added to the option. */
export function toPermissionReply(
  answer: AskAnswer | undefined,
  { request, ask }: { readonly request: RequestPermissionRequest; readonly ask: Editable },
  review: Pick<PermissionReplyMeta, 'approved' | 'reasons'> & { readonly comments?: string } = {},
): RequestPermissionResponse {
  if (answer?.kind !== 'option') return { outcome: CANCELLED };
  const { optionId, rules, edited, leftOut = [] } = answer;
  const { approved, reasons = [], comments } = review;
  const reason = [answer.reason, comments].filter(Boolean).join('\n');
  const editedInput =
    edited === undefined || ask.edit === undefined
      ? undefined
      : toEditedInput(request, ask.edit, edited);
  // Without its edit the call would run as it was proposed.
  if (edited !== undefined && editedInput === undefined) {
    return { outcome: CANCELLED };
  }
  const meta: PermissionReplyMeta = {
    ...(reason && { reason }),
    ...(rules !== undefined && { rules }),
    ...(editedInput !== undefined && { editedInput }),
    ...(approved && { approved }),
    ...(reasons.length > 0 && { reasons }),
    ...(leftOut.length > 0 && { leftOut }),
  };
  const isOurs = optionId === toOwnReject(request.options);
  const outcome = isOurs ? CANCELLED : ({ outcome: 'selected', optionId } as const);
  const reply: RequestPermissionResponse = { outcome };
  return Object.keys(meta).length === 0 ? reply : { ...reply, ...toMeta(meta) };
}

type Editable = Pick<PermissionAsk, 'edit'>;

const CANCELLED = { outcome: 'cancelled' } as const;

/** The options of the agent, and always one that rejects: an agent that offers none gets no answer instead. */
function toOptions(options: readonly PermissionOption[]): readonly AskOption[] {
  const own = options.map(toOption);
  if (own.some(({ kind }) => kind === 'reject_once')) return own;
  return [...own, { optionId: toOwnReject(options), name: 'Deny', kind: 'reject_once' }];
}

/** An id that no option has, because it is longer than all of theirs. */
function toOwnReject(options: readonly PermissionOption[]): string {
  return `none-of-${options.map((each) => each.optionId).join('-or-')}`;
}

function toOption(option: PermissionOption): AskOption {
  const { scope, rule, rules, covers, outside } = readOptionMeta(option) ?? {};
  const kept = rules ?? (rule === undefined ? [] : [rule]);
  return {
    optionId: option.optionId,
    name: option.name,
    kind: toKind(option.kind),
    ...(kept.length > 0 && { rule: toVisible(toPatternText(kept)).text }),
    ...(scope !== undefined && { destination: scope }),
    ...(covers !== undefined && { covers }),
    ...(outside && { outside }),
  };
}

/** Unknown kinds are treated as rejections, so that none of them can approve. */
function toKind(kind: string): OptionKind {
  return KINDS.find((each) => each === kind) ?? 'reject_once';
}

const KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;

/**
 * The text the user approves: the complete command, or each subject that is not allowed yet. It
 * comes from the host and never from the arguments, which the model controls. For agents that send
 * no subjects, it is the call's files, or else its title.
 */
function findAsked(
  { locations, title, toolCallId }: ToolCallUpdate,
  meta: PermissionMeta | undefined,
): readonly string[] {
  if (meta?.command !== undefined) return [meta.command];
  const subjects = meta?.subjects ?? [];
  const asked = subjects.filter(({ decision }) => decision !== 'allow');
  const targets = (asked.length > 0 ? asked : subjects).map(({ target }) => target);
  if (targets.length > 0) return [...new Set(targets)];
  const files = (locations ?? []).map(({ path }) => path);
  return files.length > 0 ? files : [title ?? toolCallId];
}
