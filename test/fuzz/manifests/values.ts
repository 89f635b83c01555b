import fc from 'fast-check';

/** A value that a manifest should not have at some place. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    '',
    -1,
    1e308,
    [],
    {},
    '\u0000',
    '\u202e\u200b',
    '__proto__',
    'constructor',
    '\ud800',
    '../../etc/passwd',
    '{{ .env.HOME }}',
    '{{',
    'x'.repeat(20_000),
  ),
  fc.integer({ min: 2, max: 150 }).map(nested),
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}

const NAMES = ['a', 'b', 'next'] as const;
const LEVELS = 24;

/** Definitions that refer to each other twice, so that validating takes 2^24 steps. */
function doubling(): Record<string, unknown> {
  const steps = Array.from({ length: LEVELS }, (_, at) => {
    const next = { $ref: `#/$defs/s${at + 1}` };
    return [`s${at}`, at === LEVELS - 1 ? { type: 'string' } : { anyOf: [next, next] }] as const;
  });
  return Object.fromEntries(steps);
}

const GOOD: readonly unknown[] = [
  ...['string', 'number', 'object'].map((type) => ({ type })),
  { $ref: '#' },
  { $ref: '#/$defs/a' },
  { $ref: '#/$defs/s0' },
  { type: 'string', pattern: '^(a|a)*$' },
  { type: 'array', uniqueItems: true },
  { const: { a: 1 } },
  { format: 'uri' },
  true,
];
const BAD: readonly unknown[] = [
  { type: 'string', pattern: '(' },
  { $ref: '#a' },
  { $ref: 'schema:none' },
  { $ref: 'https://example.com/x.json' },
  { type: 'strnig' },
  { enum: [] },
  { $id: 'urn:a' },
];

const dialect = fc.oneof(
  { weight: 20, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constant('http://json-schema.org/draft-07/schema#') },
  { weight: 2, arbitrary: fc.constant('https://json-schema.org/draft/2019-09/schema') },
  { weight: 2, arbitrary: fc.constant('https://json-schema.org/draft/2020-12/schema') },
  { weight: 1, arbitrary: fc.constant('https://example.com/unknown') },
);

function schemaOf(leaves: readonly unknown[]): fc.Arbitrary<unknown> {
  const { part } = fc.letrec((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...leaves),
      fc.record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom(...NAMES), tie('part'), { maxKeys: 3 }),
          required: fc.subarray([...NAMES]),
          additionalProperties: tie('part'),
          anyOf: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
          not: tie('part'),
          patternProperties: fc.dictionary(fc.constantFrom('^a', '.*'), tie('part'), {
            maxKeys: 1,
          }),
          unevaluatedProperties: tie('part'),
          items: tie('part'),
          default: fc.jsonValue({ maxDepth: 1 }),
        },
        { requiredKeys: ['type'], noNullPrototype: true },
      ),
    ),
  }));
  return fc.tuple(part, part, dialect).map(([root, a, $schema]) => ({
    ...(typeof root === 'object' ? root : { type: 'object' }),
    $defs: { a, ...doubling() },
    ...($schema !== undefined && { $schema }),
  }));
}

/** A schema, most often a valid one. */
export const schema: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ type: 'object' }) },
  { weight: 12, arbitrary: schemaOf(GOOD) },
  { weight: 2, arbitrary: schemaOf([...GOOD, ...BAD]) },
);

/** Arguments of a call: small ones, and some that make validators work. */
export const args: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...NAMES), fc.jsonValue({ maxDepth: 2 })) },
  { weight: 1, arbitrary: fc.constant({ a: `${'a'.repeat(40)}!`, b: 1, next: { a: 'b' } }) },
  {
    weight: 1,
    arbitrary: fc.constant({ a: Array.from({ length: 6000 }, (_, at) => ({ at })), b: 'b' }),
  },
);
