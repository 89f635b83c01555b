import type { PermissionOption } from '@agentclientprotocol/sdk';
import { toMeta } from '../../acp/gatehouse/parse.ts';
import type { OptionMeta, OptionScope } from '../../acp/gatehouse/permission.ts';
import { getCommandLine } from '../../base/tools/commandLine.ts';
import type { AskRequest } from '../../gate/ask.ts';
import { isExactRule } from '../../permissions/rules/exactCall.ts';
import type { PartOffer, StoredRule } from '../../permissions/rules/policy.ts';
import { toCoverage } from './coverage.ts';

/** The scope of an "always" answer. Plain ACP clients are offered only the session (spec CS-69). */
export type Destination = OptionScope;

/** A rule without scope and time, which the store adds. */
export type NewRule = StoredRule;

/** What choosing an option means. */
export interface StoredOption {
  readonly kind: PermissionOption['kind'];
  readonly destination?: Destination;
  readonly rules?: readonly NewRule[];
  /** The command runs without the sandbox instead. */
  readonly outside?: true;
}

export interface OfferedOption {
  readonly option: PermissionOption;
  readonly choice: StoredOption;
}

interface OptionContext {
  readonly destinations: readonly Destination[];
  readonly ownClient: boolean;
}

/**
 * Allow once, allow for the session, always allow in each scope, reject, always reject in each scope.
 * An "always" option stores the narrowest rule of each part; our own client may choose others from the
 * request's offers.
 */
export function toOptions(request: AskRequest, context: OptionContext): readonly OfferedOption[] {
  const options = toAnswers(request, context);
  // Another client could take it for the allow of what is shown.
  return request.offersOutside && context.ownClient ? [...options, RUN_OUTSIDE] : options;
}

function toAnswers(
  request: AskRequest,
  { destinations, ownClient }: OptionContext,
): readonly OfferedOption[] {
  const { allow, deny } = request.decision.offers();
  if (deny.some(isExactRule)) return toExactOptions(allow, deny);
  return [
    ALLOW_ONCE,
    ...(ownClient && allow.length > 0 ? [toSession(request, allow)] : []),
    ...destinations.flatMap((scope) => toAlways(allow, 'allow_always', scope)),
    REJECT_ONCE,
    ...destinations.flatMap((scope) => toAlways(deny, 'reject_always', scope)),
  ];
}

const ALLOW_ONCE: OfferedOption = {
  option: { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  choice: { kind: 'allow_once' },
};

const RUN_OUTSIDE: OfferedOption = {
  option: {
    ...{ optionId: 'outside', name: 'Run without the sandbox', kind: 'allow_once' },
    ...toMeta<OptionMeta>({ alsoMatches: [], outside: true }),
  },
  choice: { kind: 'allow_once', outside: true },
};

const REJECT_ONCE: OfferedOption = {
  option: { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  choice: { kind: 'reject_once' },
};

/** What the watchdog asks about is allowed or rejected for this tool with these arguments (spec C-61). */
function toExactOptions(
  allow: readonly PartOffer[],
  deny: readonly PartOffer[],
): readonly OfferedOption[] {
  const always = (parts: readonly PartOffer[], kind: 'allow_always' | 'reject_always') =>
    toAlways(parts, kind, 'session').map(({ option, choice }) => {
      const verb = kind === 'allow_always' ? 'allow' : 'reject';
      const name = `Always ${verb} exactly this call in this session`;
      const covers = { kind: 'exact' } as const;
      const meta = toOptionMeta('session', choice.rules ?? [], []);
      return { option: { ...option, name, ...toMeta<OptionMeta>({ ...meta, covers }) }, choice };
    });
  return [
    ALLOW_ONCE,
    ...always(allow, 'allow_always'),
    REJECT_ONCE,
    ...always(deny, 'reject_always'),
  ];
}

const SCOPE_TEXT: Readonly<Record<Destination, string>> = {
  session: 'in this session',
  workspace: 'in this workspace',
  user: 'everywhere',
};

/** "For this session": of edits alone it covers their folders, otherwise exactly what is asked about. */
function toSession(request: AskRequest, parts: readonly PartOffer[]): OfferedOption {
  const wide = parts.flatMap(({ session }) => session ?? []);
  const isEdits = wide.every(({ rule }) => rule.permission === 'fs.write');
  const hasCommand = getCommandLine(request.tool, request.input) !== undefined;
  const exact = parts.flatMap(({ patterns }) => patterns[0] ?? []);
  const patterns = isEdits && !hasCommand ? wide : exact;
  const rules = distinct(patterns.map(({ rule }) => rule));
  const alsoMatches = [...new Set(patterns.flatMap((each) => each.alsoMatches))].slice(0, 6);
  const meta = toOptionMeta('session', rules, alsoMatches);
  return {
    option: {
      optionId: 'session',
      name: `Allow ${toName(rules)} in this session`,
      kind: 'allow_always',
      ...toMeta<OptionMeta>({ ...meta, covers: toCoverage(request, parts, patterns) }),
    },
    choice: { kind: 'allow_always', destination: 'session', rules },
  };
}

function toAlways(
  parts: readonly PartOffer[],
  kind: 'allow_always' | 'reject_always',
  scope: Destination,
): readonly OfferedOption[] {
  if (parts.length === 0) return [];
  const patterns = parts.flatMap((part) => part.patterns[0] ?? []);
  const rules = distinct(patterns.map(({ rule }) => rule));
  const alsoMatches = [...new Set(patterns.flatMap((each) => each.alsoMatches))].slice(0, 6);
  const allows = kind === 'allow_always';
  return [
    {
      option: {
        optionId: `${allows ? 'always' : 'never'}-${scope}`,
        name: `Always ${allows ? 'allow' : 'reject'} ${toName(rules)} ${SCOPE_TEXT[scope]}`,
        kind,
        ...toMeta(toOptionMeta(scope, rules, alsoMatches)),
      },
      choice: { kind, destination: scope, rules },
    },
  ];
}

function distinct(rules: readonly NewRule[]): readonly NewRule[] {
  const seen = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
  return [...seen.values()];
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
