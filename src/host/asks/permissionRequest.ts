import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallContent,
} from '@agentclientprotocol/sdk';
import { toDiffContent } from '../../acp/diffContent.ts';
import { toMeta } from '../../acp/gatehouse/parse.ts';
import type { PendingEntry } from '../../acp/gatehouse/pending.ts';
import {
  type PermissionMeta,
  type RejectedEdit,
  readPermissionReplyMeta,
  type WireSubject,
} from '../../acp/gatehouse/permission.ts';
import { toInputMeta } from '../../acp/toolContent.ts';
import { shorten, showHidden } from '../../base/hidden.ts';
import { fieldAt } from '../../base/json.ts';
import { getCommandLine } from '../../base/tools/commandLine.ts';
import type { AskReply, AskRequest } from '../../gate/ask.ts';
import type { Decision, Offers } from '../../permissions/rules/policy.ts';
import { type Destination, type NewRule, type StoredOption, toOptions } from './options.ts';

/** A request for the client, and the meaning of each of its options. */
export interface PermissionRequest {
  readonly params: RequestPermissionRequest;
  readonly choices: ReadonlyMap<string, StoredOption>;
  /** The rules that the user may choose from instead of those of an option. */
  readonly offers: Offers;
}

const NO_OFFERS: Offers = { allow: [], deny: [] };

/** The user's answer, with the rules to store. */
export interface PermissionAnswer {
  readonly reply: AskReply;
  readonly remember?: { readonly destination: Destination; readonly rules: readonly NewRule[] };
}

/** What a request needs to be built, besides the ask. */
export interface RequestContext
  extends Pick<PendingEntry, 'sessionId' | 'askId' | 'since' | 'source'> {
  /** The scopes that can be written. */
  readonly destinations: readonly Destination[];
  /** The client lets the user choose rules by part and edit arguments. */
  readonly ownClient: boolean;
  /** The user's edit that can't run, when it is asked again. */
  readonly edit?: RejectedEdit | undefined;
}

/** Builds `session/request_permission`. */
export function toPermissionRequest(
  request: AskRequest,
  context: RequestContext,
): PermissionRequest {
  const offered = toOptions(request, context);
  const { sessionId } = context;
  const { locations, kind } = request;
  const content = toContent(request);
  return {
    params: {
      sessionId,
      toolCall: {
        toolCallId: request.toolCallId,
        title: toTitle(request),
        name: request.tool,
        kind,
        status: 'pending',
        rawInput: request.input,
        ...toMeta(toInputMeta(request.tool, request.input)),
        ...(content.length === 0 ? {} : { content }),
        ...(locations === undefined ? {} : { locations: [...locations] }),
      },
      options: offered.map(({ option }) => option),
      ...toMeta(toPermissionMeta(request, context)),
    },
    choices: new Map(offered.map(({ option, choice }) => [option.optionId, choice])),
    offers: context.ownClient ? request.decision.offers() : NO_OFFERS,
  };
}

/** The entries are listed as text, too, for clients that don't know their metadata. */
function toContent({ preview, entries = [] }: AskRequest): ToolCallContent[] {
  const diffs = preview === undefined ? [] : toDiffContent(preview.changes);
  if (entries.length === 0) return diffs;
  const what = preview === undefined ? 'It changes:' : 'Allowing it also changes:';
  const text = [what, ...entries.map((entry) => `- ${entry.text}`)].join('\n');
  return [...diffs, { type: 'content', content: { type: 'text', text } }];
}

/**
 * The model writes a command's description, and some clients show only the title. So the title includes
 * the command line that would run.
 */
function toTitle({ tool, title, input }: AskRequest): string {
  const command = getCommandLine(tool, input);
  const described = fieldAt(input, 'description');
  if (command === undefined || typeof described !== 'string' || !described.trim()) return title;
  const line = showHidden(command.replaceAll('\n', ' ⏎ '));
  return `${title}: ${shorten(line, SHOWN_LENGTH)}`;
}

/** The most characters of a command in a title; `rawInput` has all of it. */
const SHOWN_LENGTH = 2000;

/** Reads the answer. An option that was not offered, or a cancelled request, allows nothing (corpus PR-023). */
export function toAnswer(
  request: PermissionRequest,
  response: RequestPermissionResponse,
): PermissionAnswer {
  const { outcome } = response;
  if (outcome.outcome !== 'selected') return { reply: { outcome: 'cancelled' } };
  const choice = request.choices.get(outcome.optionId);
  if (choice === undefined) return reject('The client chose an option that was not offered.');
  if (choice.outside) return { reply: { outcome: 'outside' } };
  const { destination, rules } = choice;
  const reply = toReply(choice, response);
  if (destination === undefined || rules === undefined) return { reply };
  const chosen = readPermissionReplyMeta(response).rules;
  if (chosen !== undefined && !areOffered(chosen, choice, request.offers)) {
    return reject('The client chose a rule that was not offered.');
  }
  // The rules are about the call as it was shown, which the user has replaced.
  if (reply.outcome === 'allow' && reply.editedInput !== undefined) return { reply };
  return { reply, remember: { destination, rules: chosen?.map(toNewRule) ?? rules } };
}

function reject(reason: string): PermissionAnswer {
  return { reply: { outcome: 'reject', reason } };
}

/** Whether every chosen rule was offered for an option of this kind. An empty choice stores nothing. */
function areOffered(chosen: readonly NewRule[], { kind }: StoredOption, offers: Offers): boolean {
  const parts = kind === 'allow_always' ? offers.allow : offers.deny;
  const known = parts.flatMap(({ patterns }) => patterns.map(({ rule }) => rule));
  return chosen.every((rule) =>
    known.some(
      ({ permission, pattern, action }) =>
        permission === rule.permission && pattern === rule.pattern && action === rule.action,
    ),
  );
}

function toNewRule({ permission, pattern, action }: NewRule): NewRule {
  return { permission, pattern, action };
}

/** Throws `WireError` when the reply's metadata is invalid; then nothing is allowed. */
function toReply(choice: StoredOption, response: RequestPermissionResponse): AskReply {
  const { reason, editedInput, approved, reasons, leftOut } = readPermissionReplyMeta(response);
  if (choice.kind === 'reject_once' || choice.kind === 'reject_always') {
    return { outcome: 'reject', ...(reason === undefined || reason === '' ? {} : { reason }) };
  }
  return {
    outcome: 'allow',
    ...(editedInput === undefined ? {} : { editedInput }),
    ...(approved === undefined ? {} : { approved }),
    ...(reasons === undefined ? {} : { reasons }),
    ...(leftOut === undefined ? {} : { leftOut }),
  };
}

function toPermissionMeta(
  request: AskRequest,
  { askId, since, source, ownClient, edit }: RequestContext,
): PermissionMeta {
  const { tool, input, decision, cwd, checkEdit, isAside, entries = [] } = request;
  const { layer, rule, reason } = decision;
  const near = decision.near?.();
  const command = getCommandLine(tool, input);
  return {
    askId,
    since,
    source,
    why: {
      layer,
      reason,
      ...(rule === undefined ? {} : { rule, ...(rule.origin && { origin: rule.origin }) }),
      ...(near && { near: { rule: near.rule, reason: near.reason } }),
    },
    subjects: toSubjects(decision),
    ...(command === undefined ? {} : { command }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(ownClient && { offers: decision.offers() }),
    ...(ownClient && checkEdit !== undefined && { editable: true }),
    ...(isAside && { aside: true }),
    ...(edit === undefined ? {} : { edit }),
    ...(entries.length > 0 && {
      entries: entries.map(({ id, path, text }) => ({ id, target: path, text })),
    }),
  };
}

/** The subjects with their reasons. What the session's watchdog says of a call concerns all of it. */
function toSubjects({ details, subjects, layer, reason }: Decision): readonly WireSubject[] {
  const found = details();
  if (found.length === 0) return subjects.map(toWireSubject);
  const own = layer === 'watchdog' && found.every(({ risk }) => risk !== 'watchdog');
  return found.map((each) => {
    const risk = own ? 'watchdog' : each.risk;
    return {
      ...toWireSubject(each),
      reason: own ? reason : each.reason,
      ...(risk !== undefined && { risk }),
    };
  });
}

function toWireSubject({
  permission,
  target,
  decision,
}: Pick<WireSubject, 'permission' | 'target' | 'decision'>): WireSubject {
  return { permission, target, decision };
}
