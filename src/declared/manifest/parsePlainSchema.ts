import { isRecord } from '../../base/json.ts';

/**
 * Whether a schema consists only of common keywords with valid values, in every dialect.
 * If true, the metaschema, which is slow to load, isn't needed; false is inconclusive.
 */
export function isPlainSchema(schema: unknown): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isRecord(schema)) return false;
  return Object.keys(schema).every((key) => KEYWORDS.get(key)?.(schema[key]) ?? false);
}

type Fits = (value: unknown) => boolean;

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const isText: Fits = (value) => typeof value === 'string';
const isNumber: Fits = (value) => typeof value === 'number';
const isCount: Fits = (value) => Number.isInteger(value) && Number(value) >= 0;
const isFlag: Fits = (value) => typeof value === 'boolean';
const isType: Fits = (value) => typeof value === 'string' && TYPES.has(value);
const isAnything: Fits = () => true;
const isMap: Fits = (value) => isRecord(value) && Object.values(value).every(isPlainSchema);
const isTexts: Fits = (value) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;

const KEYWORDS: ReadonlyMap<string, Fits> = new Map(
  Object.entries({
    title: isText,
    description: isText,
    $comment: isText,
    format: isText,
    pattern: isText,
    type: isType,
    properties: isMap,
    required: isTexts,
    additionalProperties: isPlainSchema,
    items: isPlainSchema,
    enum: (value) => isTexts(value) && Array.isArray(value) && value.length > 0,
    const: isAnything,
    default: isAnything,
    minLength: isCount,
    maxLength: isCount,
    minItems: isCount,
    maxItems: isCount,
    minimum: isNumber,
    maximum: isNumber,
    exclusiveMinimum: isNumber,
    exclusiveMaximum: isNumber,
    uniqueItems: isFlag,
  }),
);
