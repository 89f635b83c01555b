/** A schema that the example matches: each of its fields is required, others are rejected. */
export function schemaFromExample(example: unknown): object {
  if (Array.isArray(example)) {
    return { type: 'array', ...(example.length > 0 && { items: schemaFromExample(example[0]) }) };
  }
  if (typeof example === 'object' && example !== null) {
    const properties = Object.fromEntries(
      Object.entries(example).map(([name, value]) => [name, schemaFromExample(value)]),
    );
    return {
      type: 'object',
      properties,
      required: Object.keys(example),
      additionalProperties: false,
    };
  }
  if (typeof example === 'number')
    return { type: Number.isInteger(example) ? 'integer' : 'number' };
  return example === null ? {} : { type: typeof example };
}
