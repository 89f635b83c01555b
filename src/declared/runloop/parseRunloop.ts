import { isRecord } from '../../base/json.ts';
import { isLocked } from '../../base/tools/toolFacts.ts';
import type { Diagnostics } from '../manifest/diagnostic.ts';
import type { DeclaredSchema } from '../manifest/dialectRow.ts';
import { MANIFEST_TOOLS, type SourceDocument } from '../manifest/parseDocument.ts';
import { goQuote } from '../manifest/parseGo.ts';
import {
  formerId,
  importedId,
  invisibleCount,
  LONGEST_NAME,
  toSource,
} from '../manifest/parseIds.ts';
import {
  getField,
  getFieldPointer,
  type JsonObject,
  pointerTo,
  typeName,
} from '../manifest/parsePointer.ts';
import type { Surroundings } from '../manifest/parseSurroundings.ts';
import type { Budget, RunloopEntry } from './entry.ts';
import { type EntryScope, requiredText } from './entryScope.ts';
import { type Bundle, validateBundle } from './parseBundle.ts';
import { validateNeeds } from './parseNeeds.ts';
import { validateReferences } from './parseSchemas.ts';
import { parseTransport } from './parseTransport.ts';

const ROOT_FIELDS = new Set(['version', 'tools']);
const FIELDS: ReadonlySet<string> = new Set([
  'id',
  'description',
  'transport',
  'input_schema',
  'result_schema',
  'schema_refs',
  'capabilities',
  'secrets',
  'budget',
  'requires_confirmation',
  'observability',
]);

interface RunloopSource {
  readonly document: SourceDocument;
  /** Absolute. */
  readonly folder: string;
  /** The workspace folder. Absolute. */
  readonly root: string;
  readonly diagnostics: Diagnostics;
  readonly surroundings: Surroundings;
}

/** A Runloop `tools.json` of version 1 (spec D-1 … D-21), parsed strictly (spec DA-10, DA-11). */
export function parseRunloop({
  document,
  folder,
  root,
  diagnostics,
  surroundings,
}: RunloopSource): {
  readonly entries: readonly RunloopEntry[];
  readonly bundle: Bundle;
  readonly schemas: readonly DeclaredSchema[];
} {
  const bundle = validateBundle(folder, document.text, diagnostics, surroundings);
  const tools = parseRoot(document.value, diagnostics);
  const seen = new Set<string>();
  const schemas: DeclaredSchema[] = [];
  const entries = tools.flatMap((tool, index) => {
    const pointer = pointerTo('/tools', index);
    if (!isRecord(tool)) {
      diagnostics.error(
        pointer,
        `invalid JSON: invalid type: ${typeName(tool)}, expected an object`,
      );
      return [];
    }
    let refused = false;
    const refuse = (fieldPointer: string, message: string): void => {
      refused = true;
      diagnostics.error(fieldPointer, message);
    };
    const scope = {
      diagnostics,
      document,
      folder,
      root,
      surroundings,
      bundle,
      index,
      pointer,
      tool,
      schemas,
      refuse,
    };
    const entry = parseEntry(scope, seen);
    return entry === undefined || refused ? [] : [entry];
  });
  return { entries, bundle, schemas };
}

function parseRoot(root: unknown, diagnostics: Diagnostics): readonly unknown[] {
  if (!isRecord(root)) {
    diagnostics.error('', `invalid JSON: invalid type: ${typeName(root)}, expected an object`);
    return [];
  }
  const version = getField(root, 'version');
  if (version === undefined) {
    diagnostics.error(
      getFieldPointer(root, '', 'version'),
      'invalid JSON: missing field `version`',
    );
  } else if (!Number.isInteger(version) || Number(version) < 0 || typeof version !== 'number') {
    diagnostics.error(
      '/version',
      `invalid JSON: invalid type: ${typeName(version)}, expected an integer`,
    );
  } else if (version !== 1) {
    // Other versions may define fields differently, so they are not validated (spec D-30).
    const hint = 'Downgrade the file to version 1, or update Gatehouse.';
    diagnostics.error('/version', `unsupported tools.json version ${version} (expected 1)`, {
      hint,
    });
    return [];
  }
  for (const key of Object.keys(root)) {
    if (ROOT_FIELDS.has(key)) continue;
    diagnostics.warning(pointerTo('', key), `unknown field ${goQuote(key)}`, { atKey: true });
  }
  const tools = getField(root, 'tools') ?? [];
  if (Array.isArray(tools) && tools.length <= MANIFEST_TOOLS) return tools;
  const what = Array.isArray(tools)
    ? `more than ${MANIFEST_TOOLS} tools`
    : `invalid type: ${typeName(tools)}, expected an array`;
  diagnostics.error('/tools', `invalid JSON: ${what}`);
  return [];
}

function parseEntry(scope: EntryScope, seen: Set<string>): RunloopEntry | undefined {
  const { tool, pointer, index, bundle } = scope;
  lintFields(scope);
  const id = requiredText(scope, 'id', 'tool id cannot be empty');
  if (id !== undefined) validateId(scope, id, seen);
  const description = requiredText(scope, 'description', 'description cannot be empty');
  const secrets = textList(scope, 'secrets');
  const transport = parseTransport(scope, secrets);
  const inputSchema = schemaField(scope, 'input_schema');
  const resultSchema = schemaField(scope, 'result_schema');
  const schemaRefs = objectField(scope, 'schema_refs') ?? {};
  const capabilities = textList(scope, 'capabilities');
  const budget = parseBudget(scope);
  const requiresConfirmation = parseConfirmation(scope);
  const tags = parseTags(scope);
  if (inputSchema !== undefined && resultSchema !== undefined) {
    validateReferences(scope, { inputSchema, resultSchema, schemaRefs });
  }
  if (id === undefined || description === undefined || transport === undefined) return undefined;
  if (inputSchema === undefined || resultSchema === undefined) return undefined;
  const entry: RunloopEntry = {
    dialect: 'runloop',
    id,
    importedId: importedId(bundle.ownName ?? toSource(scope.root, scope.folder), id),
    formerId: formerId(bundle.name, id),
    index,
    pointer,
    description,
    transport,
    inputSchema,
    resultSchema,
    schemaRefs,
    capabilities,
    secrets,
    budget,
    requiresConfirmation,
    tags,
    bundle,
  };
  validateNeeds(scope, entry, tool);
  return entry;
}

function lintFields({ diagnostics, tool, pointer, index }: EntryScope): void {
  for (const key of Object.keys(tool)) {
    if (FIELDS.has(key)) continue;
    const message = `tool #${index}: unknown field ${goQuote(key)}`;
    diagnostics.warning(pointerTo(pointer, key), message, { atKey: true });
  }
  const hidden = invisibleCount(String(getField(tool, 'description') ?? ''));
  if (hidden === 0) return;
  const message = `tool #${index}: description holds ${hidden} invisible characters, which are removed for the model`;
  diagnostics.warning(pointerTo(pointer, 'description'), message);
}

function validateId({ refuse, pointer, index }: EntryScope, id: string, seen: Set<string>): void {
  const fieldPointer = pointerTo(pointer, 'id');
  if (seen.has(id)) refuse(fieldPointer, `tool #${index}: duplicate tool id ${goQuote(id)}`);
  seen.add(id);
  if (isLocked(id)) refuse(fieldPointer, `tool #${index}: tool id is reserved for a built-in tool`);
  if (/^[A-Za-z0-9_./-]+$/.test(id) && id.length <= LONGEST_NAME) return;
  const message = `tool id must be 1 to ${LONGEST_NAME} letters, digits, "_", "-", "." and "/"`;
  refuse(fieldPointer, `tool #${index}: ${message}`);
}

function textList({ tool, pointer, refuse }: EntryScope, key: string): readonly string[] {
  const value = getField(tool, key) ?? [];
  const fieldPointer = pointerTo(pointer, key);
  if (!Array.isArray(value)) {
    refuse(fieldPointer, `invalid JSON: invalid type: ${typeName(value)}, expected an array`);
    return [];
  }
  return value.filter((each, at): each is string => {
    if (typeof each === 'string' && each !== '') return true;
    refuse(
      pointerTo(fieldPointer, at),
      `invalid JSON: invalid type: ${typeName(each)}, expected a text that is not empty`,
    );
    return false;
  });
}

function objectField({ tool, pointer, refuse }: EntryScope, key: string): JsonObject | undefined {
  const value = getField(tool, key);
  if (value === undefined || isRecord(value)) return value;
  refuse(
    pointerTo(pointer, key),
    `invalid JSON: invalid type: ${typeName(value)}, expected an object`,
  );
  return undefined;
}

function schemaField(
  { tool, pointer, refuse }: EntryScope,
  key: 'input_schema' | 'result_schema',
): object | boolean | undefined {
  const value = getField(tool, key);
  if (isRecord(value) || typeof value === 'boolean') return value;
  const what =
    value === undefined
      ? `missing field \`${key}\``
      : `invalid type: ${typeName(value)}, expected a schema`;
  refuse(getFieldPointer(tool, pointer, key), `invalid JSON: ${what}`);
  return undefined;
}

/** A limit that could not be held is refused, because its author counts on it (spec D-19). */
function parseBudget(scope: EntryScope): Budget {
  const { pointer, refuse } = scope;
  const budget = objectField(scope, 'budget') ?? {};
  const read = (name: keyof Budget, what: string, fits: (value: number) => boolean) => {
    const value = getField(budget, name);
    if (value === undefined) return {};
    if (typeof value === 'number' && value >= 0 && fits(value)) return { [name]: value };
    refuse(
      `${pointer}/budget/${name}`,
      `invalid JSON: budget.${name} must be ${what} that is not negative`,
    );
    return {};
  };
  return {
    ...read('tokens', 'an integer', Number.isInteger),
    ...read('usd', 'a number', Number.isFinite),
  };
}

function parseConfirmation({ tool, pointer, refuse }: EntryScope): boolean {
  const value = getField(tool, 'requires_confirmation') ?? false;
  if (typeof value === 'boolean') return value;
  const message = `invalid JSON: invalid type: ${typeName(value)}, expected a boolean`;
  refuse(pointerTo(pointer, 'requires_confirmation'), message);
  return true;
}

function parseTags(scope: EntryScope): readonly string[] {
  const holder = objectField(scope, 'observability');
  if (holder === undefined) return [];
  const pointer = pointerTo(scope.pointer, 'observability');
  return textList({ ...scope, tool: holder, pointer }, 'tags');
}
