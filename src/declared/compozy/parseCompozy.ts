import path from 'node:path';
import { isRecord, toRecord } from '../../base/json.ts';
import { isLocked } from '../../base/tools/toolFacts.ts';
import { formatGoDuration, goQuote, parseGoDuration } from '../manifest/parseGo.ts';
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
import { validateSchema } from '../manifest/parseSchema.ts';
import { isOnPath, registrySchema } from '../manifest/parseSurroundings.ts';
import type { CompozyScope } from './compozyScope.ts';
import type { CompozyEntry } from './entry.ts';
import { findEscape } from './findToolFile.ts';
import { parseEnv } from './parseEnv.ts';

const OBJECTS = ['config', 'env', 'input', 'output', 'with'];
const TEXTS = ['description', 'id', 'resource', 'timeout'];
const FIELDS: ReadonlySet<string> = new Set([...OBJECTS, ...TEXTS]);

/** Resources of the same project that are not tools (spec decision 52). */
const OTHER_RESOURCES: ReadonlySet<string> = new Set([
  'agent',
  'embedder',
  'knowledge_base',
  'mcp',
  'memory',
  'model',
  'project',
  'schema',
  'task',
  'vectordb',
  'workflow',
]);

/** One Compozy tool file (spec B-1 … B-20, B-37, B-38). */
export function parseCompozy(scope: CompozyScope): CompozyEntry | undefined {
  const { document, diagnostics, project } = scope;
  const root = document.value;
  if (!isRecord(root)) {
    diagnostics.error('', `PARSE_ERROR: tool config must be a mapping, got ${typeName(root)}`);
    return undefined;
  }
  for (const problem of project.problems) diagnostics.error('', problem);
  if (!validateResource(scope, root)) return undefined;
  const before = diagnostics.list.length;
  validateForm(scope, root);
  const id = validateId(scope, root);
  const timeoutMs = validateTimeout(scope, root);
  const env = parseEnv(scope, root);
  const input = validateSchemaField(scope, root, 'input');
  const output = validateSchemaField(scope, root, 'output');
  lintWith(scope, root);
  lintEntrypoint(scope);
  const description = getField(root, 'description');
  const isRefused = diagnostics.list.slice(before).some(({ severity }) => severity === 'error');
  if (isRefused || id === undefined) return undefined;
  return {
    dialect: 'compozy',
    id,
    importedId: importedId(project.name ?? toSource(scope.root, project.folder), id),
    formerId: formerId(path.basename(project.folder), id),
    index: 0,
    pointer: '',
    description: typeof description === 'string' ? description : undefined,
    config: toRecord(getField(root, 'config')),
    env,
    input,
    output,
    timeoutMs,
    with: toRecord(getField(root, 'with')),
    project,
  };
}

/** Whether the file is a tool. */
function validateResource({ diagnostics, autoloaded }: CompozyScope, root: JsonObject): boolean {
  const resource = getField(root, 'resource');
  const fieldPointer = getFieldPointer(root, '', 'resource');
  if (resource === 'tool') return true;
  if (resource === undefined) {
    diagnostics.error(fieldPointer, 'MISSING_RESOURCE_FIELD: resource must be "tool"');
    // The other fields are validated as a tool's: the file was named or matched as one.
    return true;
  }
  const known = typeof resource === 'string' && OTHER_RESOURCES.has(resource);
  if (known && autoloaded) {
    diagnostics.information(fieldPointer, `resource ${goQuote(resource)} is not a tool: skipped`);
    return false;
  }
  const got = typeof resource === 'string' ? goQuote(resource) : typeName(resource);
  diagnostics.error(fieldPointer, `INVALID_RESOURCE_FIELD: resource must be "tool" (got ${got})`);
  return false;
}

function validateForm({ diagnostics }: CompozyScope, root: JsonObject): void {
  for (const [key, value] of Object.entries(root)) {
    const pointer = pointerTo('', key);
    if (!FIELDS.has(key)) {
      diagnostics.error(pointer, `unknown field ${goQuote(key)}`, { atKey: true });
      continue;
    }
    if (value === null || key === 'id' || key === 'resource') continue;
    const schemaName = (key === 'input' || key === 'output') && typeof value === 'string';
    const isRight = TEXTS.includes(key) ? typeof value === 'string' : isRecord(value) || schemaName;
    if (isRight) continue;
    const expected = TEXTS.includes(key) ? 'a string' : 'a mapping';
    diagnostics.error(pointer, `${key} must be ${expected}, not ${typeName(value)}`);
  }
  const hidden = invisibleCount(String(getField(root, 'description') ?? ''));
  if (hidden > 0) {
    const message = `description holds ${hidden} invisible characters, which are removed for the model`;
    diagnostics.warning('/description', message);
  }
}

function validateId({ diagnostics }: CompozyScope, root: JsonObject): string | undefined {
  const id = getField(root, 'id');
  const fieldPointer = getFieldPointer(root, '', 'id');
  if (id === undefined) diagnostics.error(fieldPointer, 'MISSING_ID_FIELD: id is required');
  else if (typeof id !== 'string')
    diagnostics.error(fieldPointer, `INVALID_ID_FIELD: id must be a string, not ${typeName(id)}`);
  else {
    const problem = validateIdText(id);
    if (problem) diagnostics.error(fieldPointer, problem);
    else if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id)) {
      diagnostics.information(fieldPointer, `id ${goQuote(id)} should be kebab-case`);
    }
    return id;
  }
  return undefined;
}

/** Validates an id in the original's order (spec B-37), then against reserved and locked ids. */
function validateIdText(id: string): string | undefined {
  if (id === '') return 'tool_id cannot be empty';
  if (cleanPath(id) !== id) return 'tool_id contains path traversal or invalid path components';
  if (id.startsWith('/')) return 'tool_id cannot be an absolute path';
  if (id.includes('..')) return 'tool_id contains directory traversal patterns';
  if (!/^[a-zA-Z0-9_/.-]+$/.test(id)) return 'tool_id contains invalid characters';
  if (id.startsWith('.'))
    return 'tool_id cannot start with dot or contain multiple consecutive dots';
  const normal = id.trim().toLowerCase();
  if (normal.startsWith('cp__')) return `tool id ${id} uses reserved cp__ prefix`;
  if (isLocked(normal)) return `tool id ${id} is reserved for a built-in tool`;
  return id.length > LONGEST_NAME
    ? `tool id must not be longer than ${LONGEST_NAME} characters`
    : undefined;
}

function cleanPath(id: string): string {
  return path.posix.normalize(id).replace(/(?<=.)\/$/, '');
}

/** Milliseconds (spec B-13 … B-15); undefined = the project's. */
function validateTimeout(
  { diagnostics, document }: CompozyScope,
  root: JsonObject,
): number | undefined {
  const text = getField(root, 'timeout');
  if (typeof text !== 'string' || text === '') return undefined;
  const duration = parseGoDuration(text);
  if (!duration.ok) {
    const seconds = /^\d+(?:\.\d+)?$/.test(text) ? `${text}s` : undefined;
    const edits = [{ ...document.at('/timeout'), text: JSON.stringify(seconds) }];
    const fix = seconds === undefined ? undefined : { title: `Use "${seconds}"`, edits };
    diagnostics.error('/timeout', `invalid timeout format '${text}': ${duration.error}`, { fix });
    return undefined;
  }
  if (duration.nanoseconds <= 0n) {
    diagnostics.error(
      '/timeout',
      `timeout must be positive, got: ${formatGoDuration(duration.nanoseconds)}`,
    );
    return undefined;
  }
  return Math.max(1, Number(duration.nanoseconds / 1_000_000n));
}

/** An inline schema, or one of the project by its id (spec B-23). */
function validateSchemaField(
  { diagnostics, surroundings, folder, schemas }: CompozyScope,
  root: JsonObject,
  key: 'input' | 'output',
): object | undefined {
  const written = getField(root, key);
  const resolve = (reference: string): unknown =>
    registrySchema(folder, reference.replace(/^schema:/, ''), surroundings);
  const schema = typeof written === 'string' ? resolve(written) : written;
  if (typeof written === 'string' && schema === undefined) {
    const message = `unresolved schema ${goQuote(written)}: the tool is not offered`;
    diagnostics.warning(`/${key}`, message, { blocks: 0 });
    return undefined;
  }
  if (!isRecord(schema)) return undefined;
  for (const { pointer, message, kind } of validateSchema(schema, 'draft-07', resolve)) {
    const fieldPointer = typeof written === 'string' ? `/${key}` : `/${key}${pointer}`;
    if (kind === 'invalid')
      diagnostics.error(fieldPointer, `${key} is not a valid JSON Schema: ${message}`);
    else diagnostics.warning(fieldPointer, `${message}: the tool is not offered`, { blocks: 0 });
  }
  // The parts of a schema that lies in another file have no position here.
  schemas.push({ index: 0, pointer: `/${key}`, name: key, schema, otherwise: 'draft-07', resolve });
  return schema;
}

function lintWith({ diagnostics }: CompozyScope, root: JsonObject): void {
  const values = getField(root, 'with');
  for (const [name, value] of Object.entries(isRecord(values) ? values : {})) {
    if (typeof value !== 'string' || value === '') continue;
    if (!/secret|token|passw|api[_-]?key|credential/i.test(name)) continue;
    const message = `${goQuote(name)} looks like a secret; with is shown to the model, use env`;
    diagnostics.warning(pointerTo('/with', name), message);
  }
}

function lintEntrypoint({ diagnostics, surroundings, project }: CompozyScope): void {
  const state = surroundings.read(project.entrypoint);
  const outside = findEscape(project.entrypoint, project.folder);
  if (outside !== undefined) {
    const message = `PATH_ESCAPE_ATTEMPT: the entry point leads out of the project, to ${outside}`;
    diagnostics.error('', message);
  }
  if (project.runtime === 'bun' && !isOnPath(surroundings, 'bun')) {
    const message = 'bun executable not found in PATH: the tool is not offered';
    diagnostics.warning('', message, { blocks: 0 });
  }
  if (state.state === 'read') return;
  const name = path.relative(project.folder, project.entrypoint);
  const why = state.state === 'absent' ? 'is missing' : `cannot be read (${state.why})`;
  diagnostics.warning('', `entry point ${goQuote(name)} ${why}: the tool is not offered`, {
    blocks: 0,
  });
}
