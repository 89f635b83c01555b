import type { ToolKind } from '../../base/tools/toolKind.ts';

/** How an ask is answered; the first answer counts, from whichever surface it comes. */
export type AskAnswer =
  | { readonly kind: 'option'; readonly optionId: string; readonly reason?: string }
  | { readonly kind: 'form'; readonly content: FormContent }
  | { readonly kind: 'decline' };

export type FormContent = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Milliseconds in which a question takes no click and no key: they were meant for what stood there before. */
export const ARM_DELAY = 600;

export type Ask = PermissionAsk | QuestionAsk;

export interface PermissionAsk {
  readonly kind: 'permission';
  readonly id: string;
  /** The tool card it belongs to. */
  readonly toolCallId: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  /** The whole command or target, hidden characters made visible. */
  readonly subject: string;
  /** Length of what is really run, in characters. */
  readonly length: number;
  /** The command holds characters that look like something else. */
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
  /** The rule that the option adds, and what else it would match. */
  readonly rule?: string;
  readonly alsoMatches?: readonly string[];
  readonly destination?: 'session' | 'workspace' | 'user';
}

/** ACP's kinds of options. */
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
  /** Another text field of the form that takes a free answer instead ("Other…"). */
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
