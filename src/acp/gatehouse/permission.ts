import type { ApprovedFile } from '../../diff/fileChange.ts';
import { type MetaHolder, readMeta } from './meta.ts';
import {
  anything,
  list,
  object,
  optional,
  parseOneOf,
  string,
  text,
  withDefault,
} from './parse.ts';
import { parseOrigin, parseRule, parseRules, type WireOrigin, type WireRule } from './rules.ts';

/** What the host says of a permission request beyond ACP. */
export interface PermissionMeta {
  /** Names the request in the list of pending ones. */
  readonly askId?: string;
  readonly why?: PermissionWhy;
  /** Everything the call would touch, as it was evaluated: the host's words, not the model's. */
  readonly subjects: readonly WireSubject[];
  /** The whole command line, of which the subjects are the parts. */
  readonly command?: string;
}

/** Why the user is asked. */
export interface PermissionWhy {
  readonly layer?: string;
  /** One sentence. */
  readonly reason?: string;
  readonly rule?: WireRule;
  /** Where the rule is written. */
  readonly origin?: WireOrigin;
}

/** One thing a call would touch, and what was decided about it. */
export interface WireSubject {
  readonly permission: string;
  /** A command, path, host or text. */
  readonly target: string;
  readonly decision: 'allow' | 'ask' | 'deny';
}

/** What choosing an option keeps. */
export interface OptionMeta {
  readonly scope?: OptionScope;
  readonly rule?: WireRule;
  /** All of them, where the call needs more than one. */
  readonly rules?: readonly WireRule[];
  /** Other calls that the rules would match. */
  readonly alsoMatches: readonly string[];
}

/** Where a rule is kept. */
export type OptionScope = 'session' | 'workspace' | 'user';

/** What the user adds to the option they chose. */
export interface PermissionReplyMeta {
  /** Why it was rejected; the model reads it. */
  readonly reason?: string;
  /** The arguments as the user changed them. */
  readonly editedInput?: unknown;
  /** The files to write, and exactly what. One that is missing is rejected; absent: all as proposed. */
  readonly approved?: readonly ApprovedFile[];
}

const parsePermissionMeta = object<PermissionMeta>({
  askId: optional(string),
  why: optional(
    object<PermissionWhy>({
      layer: optional(string),
      reason: optional(string),
      rule: optional(parseRule),
      origin: optional(parseOrigin),
    }),
  ),
  subjects: withDefault(
    list(
      object<WireSubject>({
        permission: string,
        target: string,
        decision: parseOneOf('allow', 'ask', 'deny'),
      }),
    ),
    [],
  ),
  command: optional(string),
});

const parseOptionMeta = object<OptionMeta>({
  scope: optional(parseOneOf('session', 'workspace', 'user')),
  rule: optional(parseRule),
  rules: optional(parseRules),
  alsoMatches: withDefault(list(string), []),
});

/** A missing text is no deletion: only null is. */
const parseApprovedFile = object<ApprovedFile>({
  path: text,
  text: (value, field) => (value === null ? null : string(value, field)),
});

const parseReplyMeta = object<PermissionReplyMeta>({
  reason: optional(string),
  editedInput: optional(anything),
  approved: optional(list(parseApprovedFile)),
});

/** Of `session/request_permission`. Throws `WireError`; undefined for an agent that is not ours. */
export function readPermissionMeta(request: MetaHolder): PermissionMeta | undefined {
  return readMeta(request, parsePermissionMeta);
}

/** Of one option. Throws `WireError`. */
export function readOptionMeta(option: MetaHolder): OptionMeta | undefined {
  return readMeta(option, parseOptionMeta);
}

/** Of the answer. Throws `WireError`: an answer that cannot be read allows nothing. */
export function readPermissionReplyMeta(response: MetaHolder): PermissionReplyMeta {
  return readMeta(response, parseReplyMeta) ?? {};
}
