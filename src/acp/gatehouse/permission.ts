import type { ApprovedFile, HunkReason } from '../../diff/fileChange.ts';
import {
  anything,
  boolean,
  decoration,
  integer,
  list,
  type MetaHolder,
  number,
  object,
  optional,
  parseOneOf,
  readMeta,
  string,
  text,
  withDefault,
} from './parse.ts';
import { type AskSource, parseAskSource } from './pending.ts';
import {
  type AppliedRule,
  parseAppliedRule,
  parseOrigin,
  parseRule,
  parseRules,
  type WireOrigin,
  type WireRule,
} from './rules.ts';

/** Details of a permission request beyond ACP. */
export interface PermissionMeta {
  /** Identifies the request in the list of pending requests. */
  readonly askId?: string;
  readonly source?: AskSource;
  readonly why?: PermissionWhy;
  /** Everything the call would touch, as evaluated. Comes from the host, not from the model. */
  readonly subjects: readonly WireSubject[];
  /** The complete command line; the subjects are its parts. */
  readonly command?: string;
  /** The folder that the command line runs in. */
  readonly cwd?: string;
  /** Milliseconds since the epoch; a request that is sent again keeps the time of the first. */
  readonly since?: number;
  /** The rules that an "always" answer may store. */
  readonly offers?: WireOffers;
  /** The user may change the arguments: the reply's `editedInput`. */
  readonly editable?: boolean;
  /** The title is that of the request, not of the call that runs. */
  readonly aside?: boolean;
  /** The arguments that the user edited, and why they can't run. */
  readonly edit?: RejectedEdit;
  /** What no difference of texts shows. The user may leave some of it out. */
  readonly entries?: readonly WireEntry[];
}

/** A change of a binary file, a link, a folder or a mode. */
export interface WireEntry {
  readonly id: string;
  /** The target of the subject that it belongs to. */
  readonly target?: string;
  /** One line, with code in backticks. */
  readonly text: string;
}

/** An edit that can't run, sent back with the request so that the user can correct it. */
export interface RejectedEdit {
  readonly input: unknown;
  readonly error: string;
}

/** The rules that can be stored, by part of the call; none may be empty. */
export interface WireOffers {
  readonly allow: readonly WirePartOffer[];
  readonly deny: readonly WirePartOffer[];
}

/** A part of the call and the rules that would decide it, from narrow to wide. */
export interface WirePartOffer {
  readonly permission: string;
  readonly target: string;
  readonly patterns: readonly WireOfferedPattern[];
}

export interface WireOfferedPattern {
  readonly rule: WireRule;
  /** Examples of other calls that the rule would also match. */
  readonly alsoMatches: readonly string[];
}

/** The reason for asking the user. */
export interface PermissionWhy {
  readonly layer?: string;
  /** One sentence. */
  readonly reason?: string;
  readonly rule?: WireRule;
  /** The file that contains the rule. */
  readonly origin?: WireOrigin;
  /** A rule of the user's that nearly allows the call. */
  readonly near?: WireNearRule;
}

/** A rule that would allow a part of the call but for one difference. It decides nothing. */
export interface WireNearRule {
  readonly rule: AppliedRule;
  /** A sentence that names both. */
  readonly reason: string;
}

/** Something a call would touch, and the decision about it. */
export interface WireSubject {
  readonly permission: string;
  /** A command, path, host or text. */
  readonly target: string;
  readonly decision: 'allow' | 'ask' | 'deny';
  /** One sentence. */
  readonly reason?: string;
  /** Why it deserves a second look. */
  readonly risk?: WireRisk;
}

export type WireRisk = (typeof RISKS)[number];

const RISKS = ['watchdog', 'destructive', 'network', 'protected', 'outside', 'unclear'] as const;

/** What is stored when the user chooses an option. */
export interface OptionMeta {
  readonly scope?: OptionScope;
  readonly rule?: WireRule;
  /** All rules, when the call needs more than one. */
  readonly rules?: readonly WireRule[];
  /** Examples of other calls that the rules would match. */
  readonly alsoMatches: readonly string[];
  /** What the option covers, if it isn't chosen from the request's offers. */
  readonly covers?: Coverage;
  /** The command runs without the sandbox instead, after another request. */
  readonly outside?: boolean;
}

/**
 * What "for this session" covers; `name`: folders, hosts, tools, rules, or how many files. `exact`: this tool
 * with these arguments; `tool`: with any arguments; `folder`: with all that is in it.
 */
export interface Coverage {
  readonly kind: (typeof COVERAGES)[number];
  readonly name?: string;
}

const COVERAGES = [
  'command',
  'commands',
  'edits',
  'file',
  'files',
  'folder',
  'host',
  'tool',
  'rules',
  'call',
  'exact',
] as const;

/** Where a rule is stored. */
export type OptionScope = 'session' | 'workspace' | 'user';

/** The user's additions to the option they chose. */
export interface PermissionReplyMeta {
  /** The reason for the rejection, sent to the model. */
  readonly reason?: string;
  /** The arguments as edited by the user. */
  readonly editedInput?: unknown;
  /** The rules to store, out of the request's offers. Absent: those of the chosen option. */
  readonly rules?: readonly WireRule[];
  /**
   * The exact text to write for each file. A file that is missing here is rejected. When absent,
   * everything is approved as proposed.
   */
  readonly approved?: readonly ApprovedFile[];
  /** Why the user rejected single hunks, sent to the model. */
  readonly reasons?: readonly HunkReason[];
  /** The ids of the request's entries that the user leaves out. */
  readonly leftOut?: readonly string[];
}

const parsePartOffer = object<WirePartOffer>({
  permission: string,
  target: string,
  patterns: list(
    object<WireOfferedPattern>({ rule: parseRule, alsoMatches: withDefault(list(string), []) }),
  ),
});

const parsePermissionMeta = object<PermissionMeta>({
  askId: optional(string),
  source: optional(parseAskSource),
  why: optional(
    object<PermissionWhy>({
      layer: optional(string),
      reason: optional(string),
      rule: optional(parseRule),
      origin: optional(parseOrigin),
      near: decoration(object<WireNearRule>({ rule: parseAppliedRule, reason: string })),
    }),
  ),
  subjects: withDefault(
    list(
      object<WireSubject>({
        permission: string,
        target: string,
        decision: parseOneOf('allow', 'ask', 'deny'),
        reason: optional(string),
        risk: decoration(parseOneOf(...RISKS)),
      }),
    ),
    [],
  ),
  command: optional(string),
  cwd: optional(string),
  since: optional(number),
  offers: optional(object<WireOffers>({ allow: list(parsePartOffer), deny: list(parsePartOffer) })),
  editable: optional(boolean),
  aside: optional(boolean),
  edit: optional(object<RejectedEdit>({ input: anything, error: string })),
  entries: optional(list(object<WireEntry>({ id: text, target: optional(text), text: string }))),
});

const parseOptionMeta = object<OptionMeta>({
  scope: optional(parseOneOf('session', 'workspace', 'user')),
  rule: optional(parseRule),
  rules: optional(parseRules),
  alsoMatches: withDefault(list(string), []),
  covers: optional(object<Coverage>({ kind: parseOneOf(...COVERAGES), name: optional(string) })),
  outside: optional(boolean),
});

/** Only null deletes the file; a missing text is an error. */
const parseApprovedFile = object<ApprovedFile>({
  path: text,
  text: (value, field) => (value === null ? null : string(value, field)),
});

const parseReplyMeta = object<PermissionReplyMeta>({
  reason: optional(string),
  editedInput: optional(anything),
  rules: optional(parseRules),
  approved: optional(list(parseApprovedFile)),
  reasons: optional(
    list(
      object<HunkReason>({
        path: text,
        line: integer(1, Number.MAX_SAFE_INTEGER),
        reason: string,
      }),
    ),
  ),
  leftOut: optional(list(text)),
});

/**
 * Reads the meta of `session/request_permission`; undefined for an agent without our extensions.
 * Throws `WireError`.
 */
export function readPermissionMeta(request: MetaHolder): PermissionMeta | undefined {
  return readMeta(request, parsePermissionMeta);
}

/** Reads the meta of an option. Throws `WireError`. */
export function readOptionMeta(option: MetaHolder): OptionMeta | undefined {
  return readMeta(option, parseOptionMeta);
}

/**
 * Reads the meta of the response. Throws `WireError`: an invalid response must not approve
 * anything.
 */
export function readPermissionReplyMeta(response: MetaHolder): PermissionReplyMeta {
  return readMeta(response, parseReplyMeta) ?? {};
}
