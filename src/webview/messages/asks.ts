import type { Isolation } from '../../base/tools/isolation.ts';
import type { ToolKind } from '../../base/tools/toolKind.ts';
import type { ToolDiff } from './diff.ts';

/** The answer to an ask. The first answer from any surface wins. */
export type AskAnswer =
  | {
      readonly kind: 'option';
      readonly optionId: string;
      readonly reason?: string;
      /** The rules to store, out of those that the request offers. */
      readonly rules?: readonly ChosenRule[];
      /** The arguments as the user edited them, in the form of `PermissionAsk.edit`. */
      readonly edited?: string;
      /** The user approves a plan, and the next message starts the work. */
      readonly build?: true;
      /** The entries that the user left out, on whichever surface. The extension sets it. */
      readonly leftOut?: readonly string[];
    }
  | { readonly kind: 'form'; readonly content: FormContent }
  | { readonly kind: 'decline' };

export type FormContent = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * Milliseconds in which a new request ignores clicks and keys, because they may be meant for what
 * was there before.
 */
export const ARM_DELAY = 600;

export type Ask = PermissionAsk | QuestionAsk;

/** The request that every surface of the window shows, and its position in the queue. */
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
  /** The rule that asks. */
  readonly whyRule?: RuleReference;
  /** A stored rule that nearly allows the call, and the difference, in one sentence. */
  readonly near?: { readonly text: string; readonly rule: RuleReference };
  /** The label of the folder that the command runs in. */
  readonly cwd?: string;
  /** Where the call's programs will run. */
  readonly isolation?: Isolation;
  /** The parts of the call, each with its decision. */
  readonly parts: readonly AskPart[];
  readonly diff: boolean;
  /** The proposed changes. */
  readonly diffs: readonly ToolDiff[];
  /** Proposed changes that no diff shows. */
  readonly entries?: readonly AskEntry[];
  readonly options: readonly AskOption[];
  /** The rules that an "always" answer can store. */
  readonly offers: { readonly allow: readonly PartRules[]; readonly deny: readonly PartRules[] };
  /** Absent if the arguments can't be edited here. */
  readonly edit?: AskEdit;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** A proposed change of a binary file, a link, a folder or a mode. */
export interface AskEntry {
  readonly id: string;
  /** The text of the part that it belongs to. */
  readonly part?: string;
  /** One line, with code in backticks and hidden characters made visible. */
  readonly text: string;
  /** False: the user leaves it out. */
  readonly kept: boolean;
}

/** One thing that the call would do. */
export interface AskPart {
  /** With hidden characters made visible. */
  readonly text: string;
  readonly decision: 'allow' | 'ask' | 'deny';
  /** One sentence. */
  readonly reason?: string;
  readonly risk?: AskRisk;
}

/** Why a part deserves a second look. */
export type AskRisk = 'watchdog' | 'destructive' | 'network' | 'protected' | 'outside' | 'unclear';

/** The arguments for the user to edit. */
export interface AskEdit {
  /** `command`: a command line; `json`: all arguments. */
  readonly form: 'command' | 'json';
  /** The argument that holds the command line. */
  readonly key?: string;
  readonly text: string;
  /** Why the text can't run, if the user already edited it. */
  readonly error?: string;
}

/** A rule as the host offers it. */
export interface ChosenRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: 'allow' | 'ask' | 'deny';
}

/** A rule, and what is needed to open it. */
export interface RuleReference {
  readonly rule: ChosenRule;
  /** Where it comes from: `default`, `user`, `workspace`, `folder`, `manifest` or `session`. */
  readonly layer: string;
  readonly file?: string;
  /** Its position in the list of rules, 0-based. */
  readonly index?: number;
  /** Its line in the file of an agent, 1-based. */
  readonly line?: number;
}

/** The rules for one part of the call, from narrow to wide. */
export interface PartRules {
  /** The part, with hidden characters made visible. */
  readonly part: string;
  readonly rules: readonly OfferedRule[];
}

export interface OfferedRule {
  readonly rule: ChosenRule;
  /** The rule in one line, with hidden characters made visible. */
  readonly text: string;
  /** Examples of other calls that the rule would also match. */
  readonly alsoMatches: readonly string[];
}

export interface AskOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: OptionKind;
  /** The rule that the option adds, in one line. */
  readonly rule?: string;
  readonly destination?: 'session' | 'workspace' | 'user';
  /** What the option covers, if it isn't chosen from the offers. */
  readonly covers?: AskCoverage;
  /** The command runs without the sandbox instead, after another request. */
  readonly outside?: boolean;
}

/** `name`: folders, hosts, tools, rules, or how many files. `exact`: this tool with these arguments. */
export interface AskCoverage {
  readonly kind:
    | 'command'
    | 'commands'
    | 'edits'
    | 'file'
    | 'files'
    | 'folder'
    | 'host'
    | 'tool'
    | 'rules'
    | 'call'
    | 'exact';
  readonly name?: string;
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
