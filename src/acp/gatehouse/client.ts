import type { OpenDocument } from '../../base/openDocument.ts';
import {
  boolean,
  list,
  nullable,
  number,
  object,
  optional,
  type Parser,
  parseOneOf,
  string,
  text,
  withDefault,
} from './parse.ts';
import { parseRule, type WireRule } from './rules.ts';

/** The host's requests to the editor beyond ACP: secrets, rules to store, open documents. */

export interface SecretQuery {
  /** `model/<provider>`, `search/<provider>` or `runloop/<scope>/<name>`. */
  readonly id: string;
}

/** Must never be logged. */
export interface SecretResult {
  /** Null when none is stored. */
  readonly value: string | null;
}

export interface SaveRule {
  readonly rule: WireRule;
  readonly destination: 'workspace' | 'user';
}

export interface SaveRuleResult {
  /** Absolute path of the file that now contains the rule. */
  readonly file?: string;
}

export interface DocumentsQuery {
  /** Absolute paths. Default: all open documents, including new unsaved ones. */
  readonly paths?: readonly string[];
}

export interface DocumentsResult {
  readonly documents: readonly OpenDocument[];
}

export const parseSecretQuery: Parser<SecretQuery> = object<SecretQuery>({ id: text });

export const parseSecretResult: Parser<SecretResult> = object<SecretResult>({
  value: nullable(string),
});

export const parseSaveRule: Parser<SaveRule> = object<SaveRule>({
  rule: parseRule,
  destination: parseOneOf('workspace', 'user'),
});

export const parseSaveRuleResult: Parser<SaveRuleResult> = object<SaveRuleResult>({
  file: optional(string),
});

export const parseDocumentsQuery: Parser<DocumentsQuery> = object<DocumentsQuery>({
  paths: optional(list(string)),
});

export const parseDocumentsResult: Parser<DocumentsResult> = object<DocumentsResult>({
  documents: list(
    object<OpenDocument>({
      path: nullable(string),
      uri: string,
      dirty: boolean,
      version: number,
      encoding: withDefault(string, 'utf8'),
      eol: withDefault(parseOneOf('\n', '\r\n'), '\n'),
    }),
  ),
});
