import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { toDiffContent } from '../../acp/diffContent.ts';
import { toMeta } from '../../acp/gatehouse/meta.ts';
import type { PendingEntry } from '../../acp/gatehouse/pending.ts';
import {
  type OptionMeta,
  type OptionScope,
  type PermissionMeta,
  readPermissionReplyMeta,
} from '../../acp/gatehouse/permission.ts';
import { toInputMeta } from '../../acp/toolContent.ts';
import { fieldAt } from '../../base/json.ts';
import { getCommandLine } from '../../base/tools/commandLine.ts';
import type { ToolKind } from '../../base/tools/toolKind.ts';
import type { AskReply, AskRequest } from '../../gate/ask.ts';
import type { Candidate } from '../../permissions/rules/policy.ts';
import type { Rule } from '../../permissions/rules/rule.ts';

/** The scope of an "always" answer. Plain ACP clients are offered only the session (spec CS-69). */
export type Destination = OptionScope;

/** A rule without scope and time, which the store adds. */
export type NewRule = Pick<Rule, 'permission' | 'pattern' | 'action'>;

/** A request for the client, and the meaning of each of its options. */
export interface PermissionRequest {
  readonly params: RequestPermissionRequest;
  readonly choices: ReadonlyMap<string, StoredOption>;
}

export interface StoredOption {
  readonly kind: PermissionOption['kind'];
  readonly destination?: Destination;
  readonly rules?: readonly NewRule[];
}

/** The user's answer, with the rules to store. */
export interface PermissionAnswer {
  readonly reply: AskReply;
  readonly remember?: { readonly destination: Destination; readonly rules: readonly NewRule[] };
}

/** Builds `session/request_permission`. `destinations` are the scopes that can be written. */
export function toPermissionRequest(
  { sessionId, askId, source }: Pick<PendingEntry, 'sessionId' | 'askId' | 'source'>,
  request: AskRequest,
  kind: ToolKind,
  destinations: readonly Destination[],
): PermissionRequest {
  const offered = toOptions(request, destinations);
  const { preview, locations } = request;
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
        ...(preview === undefined ? {} : { content: toDiffContent(preview.changes) }),
        ...(locations === undefined ? {} : { locations: [...locations] }),
      },
      options: offered.map(({ option }) => option),
      ...toMeta({ askId, source, ...toPermissionMeta(request) }),
    },
    choices: new Map(offered.map(({ option, choice }) => [option.optionId, choice])),
  };
}

/**
 * The model writes a command's description, and some clients show only the title. So the title includes
 * the command line that would run.
 */
function toTitle({ tool, title, input }: AskRequest): string {
  const command = getCommandLine(tool, input);
  const described = fieldAt(input, 'description');
  if (command === undefined || typeof described !== 'string' || !described.trim()) return title;
  const line = command.replaceAll('\n', ' ⏎ ').replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
  return `${title}: ${line.length <= SHOWN_LENGTH ? line : `${line.slice(0, SHOWN_LENGTH).toWellFormed()}…`}`;
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
  if (choice === undefined) {
    return {
      reply: { outcome: 'reject', reason: 'The client chose an option that was not offered.' },
    };
  }
  const { destination, rules } = choice;
  const remember =
    destination === undefined || rules === undefined ? {} : { remember: { destination, rules } };
  return { reply: toReply(choice, response), ...remember };
}

/** Throws `WireError` when the reply's metadata is invalid; then nothing is allowed. */
function toReply(choice: StoredOption, response: RequestPermissionResponse): AskReply {
  const { reason, editedInput, approved } = readPermissionReplyMeta(response);
  if (choice.kind === 'reject_once' || choice.kind === 'reject_always') {
    return { outcome: 'reject', ...(reason === undefined || reason === '' ? {} : { reason }) };
  }
  return {
    outcome: 'allow',
    ...(editedInput === undefined ? {} : { editedInput }),
    ...(approved === undefined ? {} : { approved }),
  };
}

interface Offer {
  readonly option: PermissionOption;
  readonly choice: StoredOption;
}

/** Allow once, then each pattern from narrow to wide in each scope, then reject. Each option gets an id of ours. */
function toOptions(request: AskRequest, destinations: readonly Destination[]): readonly Offer[] {
  const candidates = request.decision.candidates();
  const always = destinations.flatMap((destination) =>
    // A plain client shows each option as a button, so it gets only the narrowest.
    (destinations.length > 1 ? candidates : candidates.slice(0, 1)).map((candidate, at) =>
      toAlways(candidate, at, destination),
    ),
  );
  const [narrowest] = candidates;
  return [
    { option: { optionId: 'allow', name: 'Allow once', kind: 'allow_once' }, choice: ONCE },
    ...always,
    {
      option: { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
      choice: { kind: 'reject_once' },
    },
    ...(narrowest === undefined ? [] : [toNever(narrowest)]),
  ];
}

const ONCE: StoredOption = { kind: 'allow_once' };

const DESTINATION_TEXT: Readonly<Record<Destination, string>> = {
  session: 'in this session',
  workspace: 'in this workspace',
  user: 'everywhere',
};

function toAlways(candidate: Candidate, at: number, destination: Destination): Offer {
  const rules = candidate.rules.map((rule) => toRule(rule, 'allow'));
  const { alsoMatches } = candidate;
  return {
    option: {
      optionId: `always-${destination}-${at}`,
      name: `Always allow ${toName(rules)} ${DESTINATION_TEXT[destination]}`,
      kind: 'allow_always',
      ...toMeta(toOptionMeta(destination, rules, alsoMatches)),
    },
    choice: { kind: 'allow_always', destination, rules },
  };
}

function toNever(candidate: Candidate): Offer {
  const rules = candidate.rules.map((rule) => toRule(rule, 'deny'));
  return {
    option: {
      optionId: 'never-session',
      name: `Always reject ${toName(rules)} in this session`,
      kind: 'reject_always',
      ...toMeta(toOptionMeta('session', rules, candidate.alsoMatches)),
    },
    choice: { kind: 'reject_always', destination: 'session', rules },
  };
}

function toRule(rule: NewRule, action: NewRule['action']): NewRule {
  return { permission: rule.permission, pattern: rule.pattern, action };
}

/** Every client version reads `rule`; a call with several subjects needs all of `rules`. */
function toOptionMeta(
  scope: Destination,
  rules: readonly NewRule[],
  alsoMatches: readonly string[],
): OptionMeta {
  const [rule] = rules;
  return {
    scope,
    ...(rule === undefined ? {} : { rule }),
    ...(rules.length > 1 ? { rules } : {}),
    alsoMatches,
  };
}

function toName(rules: readonly NewRule[]): string {
  return rules.map((rule) => `${rule.permission} ${rule.pattern}`).join(', ');
}

function toPermissionMeta({ tool, input, decision }: AskRequest): PermissionMeta {
  const { layer, rule, reason, subjects } = decision;
  const command = getCommandLine(tool, input);
  return {
    why: {
      layer,
      reason,
      ...(rule === undefined ? {} : { rule, ...(rule.origin && { origin: rule.origin }) }),
    },
    subjects: subjects.map(({ permission, target, decision }) => ({
      permission,
      target,
      decision,
    })),
    ...(command === undefined ? {} : { command }),
  };
}
