import { createHash } from 'node:crypto';
import { isRecord } from '../base/json.ts';
import { MB } from '../base/units.ts';
import { collectDiagnostics, type Diagnostics } from './manifest/diagnostic.ts';
import type { DeclaredSchema } from './manifest/dialectRow.ts';
import { isPlainSchema } from './manifest/parsePlainSchema.ts';
import { type Manifest, sortDiagnostics } from './parseManifest.ts';
import { inlineSchema } from './schemas/inlineSchema.ts';
import { measureSchema } from './schemas/measureSchema.ts';
import type { SchemaResult } from './schemas/schemaThread.ts';

/** All schemas together may take this many times the limit of one, and this long however small that is. */
const TOTAL = 10;
const LEAST_TOTAL_MS = 10_000;

/** The longest schema with all that it refers to. The worker's memory would not do for a longer one. Characters. */
const SCHEMA_LENGTH = MB / 4;

/** The most that schemas refer to altogether: each tool gets a copy. Characters. */
const INLINED_LENGTH = 4 * MB;

/**
 * Adds the diagnostics of schemas that do not match their metaschema or can't be compiled within the time
 * limit, found by the schema worker. `schemaMs` is the limit for each schema.
 */
export async function validateSchemas(
  manifests: readonly Manifest[],
  schemaMs: number,
): Promise<readonly Manifest[]> {
  const budget = {
    schemaMs,
    leftMs: Math.max(schemaMs * TOTAL, LEAST_TOTAL_MS),
    leftLength: INLINED_LENGTH,
  };
  const validated: Manifest[] = [];
  for (const manifest of manifests) {
    const collected = collectDiagnostics(manifest.document);
    const diagnosed = findDiagnosed(manifest);
    for (const declared of manifest.schemas) {
      // Where its tool is refused already, that reason says more.
      if (isTrivial(declared.schema) || diagnosed.has(declared.pointer)) continue;
      if (!fits(declared, budget, collected)) continue;
      await diagnose(declared, budget, collected);
    }
    const added = collected.finish();
    const diagnostics = sortDiagnostics([...manifest.diagnostics, ...added]);
    validated.push(added.length === 0 ? manifest : { ...manifest, diagnostics });
  }
  return validated;
}

/** The pointers of values in which something keeps a tool from being offered. */
function findDiagnosed({ diagnostics }: Manifest): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { pointer, severity, blocks } of diagnostics) {
    if (severity !== 'error' && blocks === undefined) continue;
    for (let at = pointer; at !== '' && !found.has(at); at = at.slice(0, at.lastIndexOf('/'))) {
      found.add(at);
    }
  }
  return found;
}

interface Budget {
  readonly schemaMs: number;
  leftMs: number;
  leftLength: number;
}

/** Whether the schema is small enough with all that it refers to; reports it if it is not. */
function fits(
  { index, pointer, name, schema, resolve }: DeclaredSchema,
  budget: Budget,
  diagnostics: Diagnostics,
): boolean {
  const { own, inlined } = measureSchema(schema, resolve);
  if (own + inlined > SCHEMA_LENGTH) {
    const what = `${name} is longer than ${SCHEMA_LENGTH} characters with all that it refers to`;
    diagnostics.warning(pointer, `${what}: the tool is not offered`, { blocks: index });
    return false;
  }
  budget.leftLength -= inlined;
  if (budget.leftLength >= 0) return true;
  const limit = `all schemas may refer to ${INLINED_LENGTH} characters altogether`;
  const what = `${name} refers to too much: ${limit}`;
  diagnostics.warning(pointer, `${what}: the tool is not offered`, { blocks: index });
  return false;
}

async function diagnose(
  { index, pointer, name, schema, otherwise, resolve }: DeclaredSchema,
  budget: Budget,
  diagnostics: Diagnostics,
): Promise<void> {
  const whole = isRecord(schema) ? inlineSchema(schema, resolve) : schema;
  const result = await inspect({ schema: whole, otherwise }, budget);
  if (result.type === 'malformed') {
    for (const problem of result.problems) {
      const text = `${name} is not a valid JSON Schema: ${problem.message}`;
      diagnostics.error(`${pointer}${problem.pointer}`, text);
    }
  } else if (result.type === 'unusable') {
    const text = `${name} cannot be compiled: ${result.problem}: the tool is not offered`;
    diagnostics.warning(pointer, text, { blocks: index });
  } else if (result.type === 'stopped') {
    const text = `compiling ${name} ${result.why}: the tool is not offered`;
    diagnostics.warning(pointer, text, { blocks: index });
  }
}

type Source = Pick<DeclaredSchema, 'schema' | 'otherwise'>;

/** The results of earlier loads. A schema that took too long is tried again. */
const known = new Map<string, SchemaResult>();
const REMEMBERED = 10_000;

async function inspect(source: Source, budget: Budget): Promise<SchemaResult> {
  const key = createHash('sha256').update(JSON.stringify(source)).digest('hex');
  const earlier = known.get(key);
  if (earlier) return earlier;
  if (budget.leftMs <= 0) return GIVEN_UP;
  const timeoutMs = Math.ceil(Math.min(budget.schemaMs, budget.leftMs));
  // Imported on demand: most manifests need no thread.
  const { runSchemaJob } = await import('./schemas/schemaThread.ts');
  const { result, spentMs } = await runSchemaJob({ key: undefined, source }, { timeoutMs });
  budget.leftMs -= spentMs;
  if (known.size >= REMEMBERED) known.clear();
  if (result.type !== 'stopped') known.set(key, result);
  const isCutShort = timeoutMs < budget.schemaMs;
  return result.type === 'stopped' && result.reason === 'timeout' && isCutShort ? GIVEN_UP : result;
}

/** The schemas before it used up the time of all. */
const GIVEN_UP: SchemaResult = {
  type: 'stopped',
  reason: 'timeout',
  why: 'was given up: the schemas before it took too long (gatehouse.limits.schemaMs)',
};

/** Schemas of this size compile at once. */
const TRIVIAL_VALUES = 2_000;

/** Common keywords with valid values, and few of them: such a schema needs no thread. */
function isTrivial(schema: unknown): boolean {
  return isSmall(schema) && isPlainSchema(schema);
}

function isSmall(schema: unknown): boolean {
  return countValues(schema, TRIVIAL_VALUES) >= 0;
}

/** How many of `left` values remain after those inside of this one; negative if they do not do. */
function countValues(value: unknown, left: number): number {
  if (typeof value !== 'object' || value === null) return left;
  let rest = left;
  for (const inner of Object.values(value)) {
    rest = countValues(inner, rest - 1);
    // Each level takes one, so the depth is limited too.
    if (rest < 0) return rest;
  }
  return rest;
}
