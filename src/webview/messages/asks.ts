import type { ToolKind } from '../../base/tools/toolKind.ts';

/** The answer to an ask. The first answer from any surface wins. */
export type AskAnswer =
  | { readonly kind: 'option'; readonly optionId: string; readonly reason?: string }
  | { readonly kind: 'form'; readonly content: FormContent }
  | { readonly kind: 'decline' };

export type FormContent = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * Milliseconds in which a new request ignores clicks and keys, because they may be meant for what
 * was there before.
 */
export const ARM_DELAY = 600;

export type Ask = PermissionAsk | QuestionAsk;

/** The request that every surface of the window shows, and its place in the queue. */
export interface CurrentRequest {
  readonly askId: string;
  /** 1-based. */
  readonly position: number;
  readonly total: number;
  /** The name of the agent that asks. */
  readonly agent: string;
  /** The title of its session. */
  readonly session: string;
}

export interface PermissionAsk {
  readonly kind: 'permission';
  readonly id: string;
  /** The id of the tool card that the request belongs to. */
  readonly toolCallId: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  /** The complete command or target, with hidden characters made visible. */
  readonly subject: string;
  /** Length of the unescaped command or target, in characters. */
  readonly length: number;
  /** The subject contains hidden or look-alike characters. */
  readonly suspicious: boolean;
  readonly why: string;
  readonly diff: boolean;
  readonly options: readonly AskOption[];
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface AskOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: OptionKind;
  /** The rule that the option adds, and past calls that it would also match. */
  readonly rule?: string;
  readonly alsoMatches?: readonly string[];
  readonly destination?: 'session' | 'workspace' | 'user';
}

/** ACP's permission option kinds. */
export type OptionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

export interface QuestionAsk {
  readonly kind: 'question';
  readonly id: string;
  readonly toolCallId?: string;
  readonly message: string;
  readonly fields: readonly FormField[];
  readonly since: number;
}

export interface FormField {
  readonly key: string;
  readonly title: string;
  readonly description?: string;
  readonly required: boolean;
  readonly input: FieldInput;
  /** Key of a second text field that takes a free-text answer instead ("Other…"). */
  readonly otherKey?: string;
}

export type FieldInput =
  | {
      readonly type: 'choice';
      readonly choices: readonly FieldChoice[];
      readonly multiple: boolean;
    }
  | { readonly type: 'text' | 'number' | 'integer' | 'boolean' };

export interface FieldChoice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}
