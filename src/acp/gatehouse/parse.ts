import { isRecord } from '../../base/json.ts';

/**
 * A message that does not follow the protocol. `field` is the path of the invalid value, such as
 * `rules[2].origin`; empty for the message itself.
 */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly field: string;
  /** The error message without the field. */
  readonly problem: string;

  constructor(field: string, problem: string) {
    super(`${field === '' ? 'The message' : field}: ${problem}`);
    this.field = field;
    this.problem = problem;
  }
}

/**
 * Validates an untrusted value, found at `field`, and returns it typed. Throws only `WireError`.
 */
export type Parser<Value> = (value: unknown, field?: string) => Value;

/** A parser for a field that may be missing. */
export interface OptionalParser<Value> {
  readonly optional: Parser<Value | undefined>;
}

/** A parser for each field of a message; optional fields have an `OptionalParser`. */
export type Fields<Message> = {
  readonly [Key in keyof Message]-?: object extends Pick<Message, Key>
    ? OptionalParser<Exclude<Message[Key], undefined>>
    : Parser<Message[Key]>;
};

export const anything: Parser<unknown> = (value) => value;

export const string: Parser<string> = (value, field = '') => {
  if (typeof value === 'string') return value;
  throw new WireError(field, 'Must be a string.');
};

export const text: Parser<string> = (value, field = '') => {
  const found = string(value, field);
  if (found !== '') return found;
  throw new WireError(field, 'Must not be empty.');
};

export const boolean: Parser<boolean> = (value, field = '') => {
  if (typeof value === 'boolean') return value;
  throw new WireError(field, 'Must be true or false.');
};

export const number: Parser<number> = (value, field = '') => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new WireError(field, 'Must be a number.');
};

export function integer(least: number, most: number): Parser<number> {
  return (value, field = '') => {
    const found = number(value, field);
    if (Number.isInteger(found) && found >= least && found <= most) return found;
    throw new WireError(field, `Must be an integer from ${least} to ${most}.`);
  };
}

/** A string that passes a test; `problem` describes the expected form. */
export function matching(test: (value: string) => boolean, problem: string): Parser<string> {
  return (value, field = '') => {
    const found = string(value, field);
    if (test(found)) return found;
    throw new WireError(field, problem);
  };
}

export function parseOneOf<const Value extends string | number>(
  ...values: readonly Value[]
): Parser<Value> {
  return (value, field = '') => {
    const found = values.find((each) => each === value);
    if (found !== undefined) return found;
    throw new WireError(field, `Must be one of ${values.join(', ')}.`);
  };
}

/** Treats both `null` and absent as missing, because clients differ. */
export function optional<Value>(parser: Parser<Value>): OptionalParser<Value> {
  return { optional: (value, field) => (value == null ? undefined : parser(value, field)) };
}

/**
 * For values that are only informative: an invalid one is dropped instead of rejecting the message.
 */
export function decoration<Value>(parser: Parser<Value>): OptionalParser<Value> {
  return {
    optional: (value, field) => {
      try {
        return value == null ? undefined : parser(value, field);
      } catch (error) {
        if (error instanceof WireError) return undefined;
        throw error;
      }
    },
  };
}

/** Replaces a missing value by a default. */
export function withDefault<Value>(parser: Parser<Value>, missing: Value): Parser<Value> {
  return (value, field) => (value == null ? missing : parser(value, field));
}

export function nullable<Value>(parser: Parser<Value>): Parser<Value | null> {
  return (value, field) => (value == null ? null : parser(value, field));
}

export function list<Value>(parser: Parser<Value>): Parser<readonly Value[]> {
  return (value, field = '') => {
    if (!Array.isArray(value)) throw new WireError(field, 'Must be an array.');
    return value.map((each, index) => parser(each, `${field}[${index}]`));
  };
}

/** An object with arbitrary fields. */
export const record: Parser<Readonly<Record<string, unknown>>> = (value, field = '') => {
  if (isRecord(value)) return value;
  throw new WireError(field, 'Must be an object.');
};

/** An object with these fields. Unknown fields are dropped, so that either side may add some. */
export function object<Message extends object>(fields: Fields<Message>): Parser<Message> {
  const parsers = Object.entries<Parser<unknown> | OptionalParser<unknown>>(fields);
  return (value, field = '') => {
    const known = record(value, field);
    const parsed: Record<string, unknown> = {};
    for (const [key, parser] of parsers) {
      const path = field === '' ? key : `${field}.${key}`;
      const own = Object.hasOwn(known, key) ? known[key] : undefined;
      const found = typeof parser === 'function' ? parser(own, path) : parser.optional(own, path);
      if (found !== undefined) parsed[key] = found;
    }
    // Every field was parsed above, as the type of `fields` requires.
    return parsed as Message;
  };
}

/** One of several message types, distinguished by the string in `key`. */
export function variants<Message extends object>(
  key: string,
  parsers: Readonly<Record<string, Parser<Message>>>,
): Parser<Message> {
  return (value, field = '') => {
    const path = field === '' ? key : `${field}.${key}`;
    const kind = parseOneOf(...Object.keys(parsers))(record(value, field)[key], path);
    const parser = parsers[kind];
    if (parser === undefined) throw new WireError(path, 'Is unknown.');
    return parser(value, field);
  };
}

/** A message that may carry `_meta`. */
export interface MetaHolder {
  readonly _meta?: { readonly [key: string]: unknown } | null | undefined;
}

/** A `_meta` with our own part, as in every message of ours. */
export function toMeta<Own extends object>(own: Own): { readonly _meta: { gatehouse: Own } } {
  return { _meta: { gatehouse: own } };
}

/** The same of a message that it only decorates: a part that cannot be read counts as none. */
export function readDecoration<Own>(holder: MetaHolder, parser: Parser<Own>): Own | undefined {
  return decoration(parser).optional(holder._meta?.['gatehouse']);
}

/**
 * Parses our part of `_meta`; undefined when there is none. Throws `WireError` when it is invalid.
 */
export function readMeta<Own>(holder: MetaHolder, parser: Parser<Own>): Own | undefined {
  const own = holder._meta?.['gatehouse'];
  return own == null ? undefined : parser(own, '_meta.gatehouse');
}
