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
import { toCodeSpan, toTargetSpan } from '../../base/codeSpan.ts';
import { isRecord } from '../../base/json.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import type { Isolation } from '../../base/tools/isolation.ts';
import { SAMPLING } from '../../base/tools/mcpServer.ts';
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
import { toPatternText, toReference, toRuleText } from '../text/ruleText.ts';

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
    title: getTitle(toolCall, known),
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
    options: request.options.map(toOption),
    offers: {
      allow: (meta?.offers?.allow ?? []).map(toPartRules),
      deny: (meta?.offers?.deny ?? []).map(toPartRules),
    },
    ...toEdit(request, meta),
    since: meta?.since ?? since,
  };
}

/**
 * The card's own title; what came of a command in a copy, and what the server of a running call asks of the
 * model, are other matters than the call.
 */
function getTitle({ name, title, toolCallId }: ToolCallUpdate, known: KnownCall): string {
  const own = title == null ? undefined : toVisible(title).text;
  const isOther = known.isolation === 'copy' || name === SAMPLING;
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
  const key = findCommandKey(toolCall.rawInput, meta);
  const command = key === undefined ? undefined : input[key];
  return key !== undefined && typeof command === 'string'
    ? { edit: { form: 'command', key, text: command, ...error } }
    : { edit: { form: 'json', text: JSON.stringify(input, undefined, 2), ...error } };
}

/** The argument that holds the command line. */
function findCommandKey(input: unknown, { command }: PermissionMeta): string | undefined {
  if (command === undefined || !isRecord(input)) return undefined;
  return Object.keys(input).find((key) => input[key] === command);
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

/** Replaces quoted paths in the explanation by their display form. */
function withLabels(sentence: string, locations: readonly ToolLocation[]): string {
  return locations.reduce(
    (text, { path, label }) =>
      text.replaceAll(toVisible(toTargetSpan(path)).text, toTargetSpan(label)),
    sentence,
  );
}

/** Converts the answer to the ACP response, with what the user added to the option. */
export function toPermissionReply(
  answer: AskAnswer | undefined,
  { request, ask }: { readonly request: RequestPermissionRequest; readonly ask: Editable },
  review: Pick<PermissionReplyMeta, 'approved' | 'reasons'> & { readonly comments?: string } = {},
): RequestPermissionResponse {
  if (answer?.kind !== 'option') return { outcome: { outcome: 'cancelled' } };
  const { optionId, rules, edited, leftOut = [] } = answer;
  const { approved, reasons = [], comments } = review;
  const reason = [answer.reason, comments].filter(Boolean).join('\n');
  const editedInput =
    edited === undefined || ask.edit === undefined
      ? undefined
      : toEditedInput(request, ask.edit, edited);
  // Without its edit the call would run as it was proposed.
  if (edited !== undefined && editedInput === undefined) {
    return { outcome: { outcome: 'cancelled' } };
  }
  const meta: PermissionReplyMeta = {
    ...(reason && { reason }),
    ...(rules !== undefined && { rules }),
    ...(editedInput !== undefined && { editedInput }),
    ...(approved && { approved }),
    ...(reasons.length > 0 && { reasons }),
    ...(leftOut.length > 0 && { leftOut }),
  };
  const reply: RequestPermissionResponse = { outcome: { outcome: 'selected', optionId } };
  return Object.keys(meta).length === 0 ? reply : { ...reply, ...toMeta(meta) };
}

type Editable = Pick<PermissionAsk, 'edit'>;

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

/** The host's explanation and the location of its rule, or only the rule without an explanation. */
function toWhyText(why: PermissionWhy | undefined): string {
  if (why === undefined) return '';
  const { reason, rule, origin } = why;
  const sentence =
    reason ?? (rule === undefined ? '' : `The rule is ${toCodeSpan(toRuleText(rule))}.`);
  // The user settings of a remote window are on the user's machine, not at the path that is known here.
  const source =
    origin?.file === undefined || origin.layer === 'user'
      ? SOURCES[origin?.layer ?? '']
      : `The rule is in ${toTargetSpan(origin.file)}.`;
  if (rule === undefined || source === undefined) return toVisible(sentence).text;
  return toVisible(`${sentence} ${source}`).text;
}

/** Labels for the origins of rules whose file is not named. */
const SOURCES: Readonly<Record<string, string>> = {
  default: 'The rule is shipped with Gatehouse.',
  user: 'The rule is in your user settings.',
  workspace: 'The rule is in workspace settings.',
  folder: 'The rule is in folder settings.',
  manifest: "The rule is in the agent's manifest.",
  session: 'The rule was made in this session.',
};
