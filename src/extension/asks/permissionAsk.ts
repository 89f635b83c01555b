import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { asString, asStrings, recordOf } from '../../base/json.ts';
import type {
  AskAnswer,
  AskOption,
  OptionKind,
  PermissionAsk,
} from '../../webview/messages/asks.ts';
import type { ToolLocation } from '../../webview/messages/chatState.ts';
import { gatehouseMeta, patternLine, ruleLine } from '../host/meta.ts';
import { toVisible } from '../text/visibleText.ts';

/** Turns `session/request_permission` into what the surfaces show. Nothing of it is left out. */
export function toPermissionAsk(
  request: RequestPermissionRequest,
  known: KnownCall,
  id: string,
  since: number,
): PermissionAsk {
  const { toolCall } = request;
  const raw = subjectOf(toolCall.rawInput) ?? toolCall.title ?? known.title ?? toolCall.toolCallId;
  const subject = toVisible(known.locations?.find(({ path }) => path === raw)?.label ?? raw);
  return {
    kind: 'permission',
    id,
    toolCallId: toolCall.toolCallId,
    title: known.title ?? toVisible(toolCall.title ?? toolCall.toolCallId).text,
    toolKind: toolCall.kind ?? 'other',
    subject: subject.text,
    length: raw.length,
    suspicious: subject.suspicious,
    why: withLabels(whyLine(gatehouseMeta(request)), known.locations ?? []),
    diff: known.diff || (toolCall.content ?? []).some((part) => part.type === 'diff'),
    options: request.options.map(toOption),
    since,
  };
}

/** What the chat shows of the call already. */
export interface KnownCall {
  readonly title?: string;
  readonly diff: boolean;
  /** The files of a call about files; none of a command, which is shown as it is. */
  readonly locations?: readonly ToolLocation[];
}

/** A file that the sentence quotes is written as the card writes it. */
function withLabels(sentence: string, locations: readonly ToolLocation[]): string {
  return locations.reduce(
    (text, { path, label }) => text.replaceAll(`"${path}"`, `"${toVisible(label).text}"`),
    sentence,
  );
}

/** The reply, with the user's reason where there is one. */
export function toPermissionReply(answer: AskAnswer | undefined): RequestPermissionResponse {
  if (answer?.kind !== 'option') return { outcome: { outcome: 'cancelled' } };
  const reply: RequestPermissionResponse = {
    outcome: { outcome: 'selected', optionId: answer.optionId },
  };
  return answer.reason ? { ...reply, _meta: { gatehouse: { reason: answer.reason } } } : reply;
}

function toOption(option: PermissionOption): AskOption {
  const meta = gatehouseMeta(option);
  const destination = toDestination(meta['scope']);
  const rule = patternLine(meta['rules'] ?? meta['rule']);
  const alsoMatches = asStrings(meta['alsoMatches']);
  return {
    optionId: option.optionId,
    name: option.name,
    kind: toKind(option.kind),
    ...(rule !== undefined && { rule }),
    ...(alsoMatches.length > 0 && { alsoMatches }),
    ...(destination !== undefined && { destination }),
  };
}

/** An unknown kind counts as a rejection: nothing unknown may approve. */
function toKind(kind: string): OptionKind {
  return KINDS.find((each) => each === kind) ?? 'reject_once';
}

const KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;

function toDestination(scope: unknown): AskOption['destination'] {
  return scope === 'session' || scope === 'workspace' || scope === 'user' ? scope : undefined;
}

/** The command, path or address of the call, whichever its input names. */
function subjectOf(rawInput: unknown): string | undefined {
  const input = recordOf(rawInput);
  for (const key of ['command', 'path', 'file_path', 'url', 'query', 'pattern']) {
    const value = asString(input[key]);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The host's sentence, and where its rule is written; of another host, the rule alone. */
function whyLine(meta: Readonly<Record<string, unknown>>): string {
  const why = recordOf(meta['why']);
  const sentence = asString(why['reason']) ?? ruleLine(why['rule']) ?? asString(meta['why']) ?? '';
  const origin = recordOf(why['origin'] ?? recordOf(why['rule'])['origin']);
  const place = asString(origin['file']) ?? PLACES[asString(origin['layer']) ?? ''];
  if (why['rule'] === undefined || place === undefined) return toVisible(sentence).text;
  return toVisible(`${sentence.replace(/\.$/, '')} (${place}).`).text;
}

/** Where a rule without a file stands. */
const PLACES: Readonly<Record<string, string>> = {
  default: 'a shipped rule',
  user: 'your user settings',
  workspace: 'workspace settings',
  folder: 'folder settings',
  manifest: "the agent's manifest",
  session: 'a rule of this session',
};
