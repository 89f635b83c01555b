import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { toDiffContent } from '../../acp/diffContent.ts';
import { fieldAt, recordOf } from '../../base/json.ts';
import { getToolFacts } from '../../base/tools/toolFacts.ts';
import type { ToolKind } from '../../base/tools/toolKind.ts';
import type { AskReply, AskRequest } from '../../gate/ask.ts';
import type { Candidate } from '../../permissions/rules/policy.ts';
import type { Rule } from '../../permissions/rules/rule.ts';

/** Where an "always" answer is kept. ACP's plain clients are offered the session only (CS-69). */
export type Destination = 'session' | 'workspace' | 'user';

/** A rule as it is stored: who keeps it adds scope and time. */
export type NewRule = Pick<Rule, 'permission' | 'pattern' | 'action'>;

/** A request for the client, and what each of its options means. */
export interface PermissionRequest {
  readonly params: RequestPermissionRequest;
  readonly choices: ReadonlyMap<string, StoredOption>;
}

export interface StoredOption {
  readonly kind: PermissionOption['kind'];
  readonly destination?: Destination;
  readonly rules?: readonly NewRule[];
}

/** What the user decided, and the rules that go with it. */
export interface PermissionAnswer {
  readonly reply: AskReply;
  readonly remember?: { readonly destination: Destination; readonly rules: readonly NewRule[] };
}

/** Builds `session/request_permission`. `destinations` are those that can really be written. */
export function toPermissionRequest(
  sessionId: string,
  request: AskRequest,
  kind: ToolKind,
  destinations: readonly Destination[],
): PermissionRequest {
  const offered = toOptions(request, destinations);
  const { decision, preview, locations } = request;
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
        ...(preview === undefined ? {} : { content: [toDiffContent(preview)] }),
        ...(locations === undefined ? {} : { locations: [...locations] }),
      },
      options: offered.map(({ option }) => option),
      _meta: { gatehouse: toWhy(decision, preview?.baseHash) },
    },
    choices: new Map(offered.map(({ option, choice }) => [option.optionId, choice])),
  };
}

/**
 * How a command is described is the model's word. Many a client shows the title alone, so the line that
 * would run stands in it.
 */
function toTitle({ tool, title, input }: AskRequest): string {
  const facts = getToolFacts(tool);
  const command = facts?.about === 'command' ? fieldAt(input, facts.argument) : undefined;
  const described = fieldAt(input, 'description');
  if (typeof command !== 'string' || typeof described !== 'string' || !described.trim())
    return title;
  const line = command.replaceAll('\n', ' ⏎ ').replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
  return `${title}: ${line.length <= SHOWN_LENGTH ? line : `${line.slice(0, SHOWN_LENGTH).toWellFormed()}…`}`;
}

/** Characters of a command in a title; `rawInput` has all of it. */
const SHOWN_LENGTH = 2000;

/** Reads the answer. What was not offered, or was withdrawn, allows nothing (PR-023). */
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

function toReply(choice: StoredOption, response: RequestPermissionResponse): AskReply {
  const extra = recordOf(response._meta?.['gatehouse']);
  if (choice.kind === 'reject_once' || choice.kind === 'reject_always') {
    const reason = extra['reason'];
    return {
      outcome: 'reject',
      ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    };
  }
  const approvedText = extra['approvedText'];
  return {
    outcome: 'allow',
    ...(extra['editedInput'] === undefined ? {} : { editedInput: extra['editedInput'] }),
    ...(typeof approvedText === 'string' ? { approvedText } : {}),
  };
}

interface Offer {
  readonly option: PermissionOption;
  readonly choice: StoredOption;
}

/** Once, then each pattern from narrow to wide in each place, then no. Ids are ours, one for each. */
function toOptions(request: AskRequest, destinations: readonly Destination[]): readonly Offer[] {
  const candidates = request.decision.candidates();
  const always = destinations.flatMap((destination) =>
    // A plain client shows every option as a button of its own: it gets the narrowest only.
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

const PLACE: Readonly<Record<Destination, string>> = {
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
      name: `Always allow ${toName(rules)} ${PLACE[destination]}`,
      kind: 'allow_always',
      _meta: { gatehouse: { scope: destination, ...toRuleMeta(rules), alsoMatches } },
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
      _meta: {
        gatehouse: {
          scope: 'session',
          ...toRuleMeta(rules),
          alsoMatches: candidate.alsoMatches,
        },
      },
    },
    choice: { kind: 'reject_always', destination: 'session', rules },
  };
}

function toRule(rule: NewRule, action: NewRule['action']): NewRule {
  return { permission: rule.permission, pattern: rule.pattern, action };
}

/** `rule` is what the contract names; a call with several subjects needs all of `rules`. */
function toRuleMeta(rules: readonly NewRule[]): object {
  return rules.length === 1 ? { rule: rules[0] } : { rule: rules[0], rules };
}

function toName(rules: readonly NewRule[]): string {
  return rules.map((rule) => `${rule.permission} ${rule.pattern}`).join(', ');
}

function toWhy(decision: AskRequest['decision'], baseHash: string | undefined): object {
  const { layer, rule, reason, subjects } = decision;
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
    ...(baseHash === undefined ? {} : { baseHash }),
  };
}
