import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { toMeta } from '../../acp/gatehouse/meta.ts';
import {
  type PermissionMeta,
  type PermissionReplyMeta,
  type PermissionWhy,
  readOptionMeta,
  readPermissionMeta,
} from '../../acp/gatehouse/permission.ts';
import type {
  AskAnswer,
  AskOption,
  OptionKind,
  PermissionAsk,
} from '../../webview/messages/asks.ts';
import type { ToolLocation } from '../../webview/messages/chatState.ts';
import { toPatternText, toRuleText } from '../text/ruleText.ts';
import { toVisible } from '../text/visibleText.ts';

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
    title: known.title ?? toVisible(toolCall.title ?? toolCall.toolCallId).text,
    toolKind: toolCall.kind ?? 'other',
    subject: subject.text,
    length: asked.join('\n').length,
    suspicious: subject.suspicious,
    why: withLabels(toWhyText(meta?.why), known.locations ?? []),
    diff: known.diff || (toolCall.content ?? []).some((part) => part.type === 'diff'),
    options: request.options.map(toOption),
    since,
  };
}

/** What the chat already shows of the call. */
export interface KnownCall {
  readonly title?: string;
  readonly diff: boolean;
  /** The files of a call about files; empty for commands, which are shown unchanged. */
  readonly locations?: readonly ToolLocation[];
}

/** Replaces quoted paths in the explanation by their display form. */
function withLabels(sentence: string, locations: readonly ToolLocation[]): string {
  return locations.reduce(
    (text, { path, label }) => text.replaceAll(`"${path}"`, `"${toVisible(label).text}"`),
    sentence,
  );
}

/** Converts the answer to the ACP response, with the user's reason and review, if any. */
export function toPermissionReply(
  answer: AskAnswer | undefined,
  review: Pick<PermissionReplyMeta, 'approved' | 'reasons'> = {},
): RequestPermissionResponse {
  if (answer?.kind !== 'option') return { outcome: { outcome: 'cancelled' } };
  const { optionId, reason } = answer;
  const { approved, reasons = [] } = review;
  const meta: PermissionReplyMeta = {
    ...(reason && { reason }),
    ...(approved && { approved }),
    ...(reasons.length > 0 && { reasons }),
  };
  const reply: RequestPermissionResponse = { outcome: { outcome: 'selected', optionId } };
  return Object.keys(meta).length === 0 ? reply : { ...reply, ...toMeta(meta) };
}

function toOption(option: PermissionOption): AskOption {
  const { scope, rule, rules, alsoMatches = [] } = readOptionMeta(option) ?? {};
  const kept = rules ?? (rule === undefined ? [] : [rule]);
  return {
    optionId: option.optionId,
    name: option.name,
    kind: toKind(option.kind),
    ...(kept.length > 0 && { rule: toPatternText(kept) }),
    ...(alsoMatches.length > 0 && { alsoMatches }),
    ...(scope !== undefined && { destination: scope }),
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
  const sentence = reason ?? (rule === undefined ? '' : toRuleText(rule));
  const source = origin?.file ?? SOURCES[origin?.layer ?? ''];
  if (rule === undefined || source === undefined) return toVisible(sentence).text;
  return toVisible(`${sentence.replace(/\.$/, '')} (${source}).`).text;
}

/** Labels for the origins of rules that have no file. */
const SOURCES: Readonly<Record<string, string>> = {
  default: 'a shipped rule',
  user: 'your user settings',
  workspace: 'workspace settings',
  folder: 'folder settings',
  manifest: "the agent's manifest",
  session: 'a rule of this session',
};
