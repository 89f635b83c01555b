import path from 'node:path';
import { isRecord } from '../../base/json.ts';
import { isLocked } from '../../base/tools/toolFacts.ts';
import type { Diagnostics, Fix } from '../manifest/diagnostic.ts';
import type { DeclaredSchema } from '../manifest/dialectRow.ts';
import { MANIFEST_TOOLS, type SourceDocument } from '../manifest/parseDocument.ts';
import { goQuote } from '../manifest/parseGo.ts';
import {
  formerId,
  importedId,
  invisibleCount,
  LOADER_VARIABLES,
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
import type { Surroundings } from '../manifest/parseSurroundings.ts';
import type { AgentcliEntry } from './entry.ts';

/** The longest `timeoutSec`: one day (spec decision 45). */
const LONGEST_TIMEOUT = 86_400;

const FIELDS = new Set([
  'name',
  'description',
  'schema',
  'command',
  'timeoutSec',
  'envPassthrough',
]);

/** An agentcli `tools.json` to parse. */
export interface AgentcliSource {
  readonly document: SourceDocument;
  /** Absolute. */
  readonly folder: string;
  /** The workspace folder. Absolute. */
  readonly root: string;
  readonly diagnostics: Diagnostics;
  readonly surroundings: Surroundings;
}

interface Scope extends AgentcliSource {
  readonly idSource: string;
  readonly seen: Set<string>;
  /** The number in the last new name that was suggested for a name. */
  readonly numbers: Map<string, number>;
  readonly schemas: DeclaredSchema[];
}

/** An agentcli `tools.json` (spec A-1 … A-18): returns the entries without an error, and adds every diagnostic. */
export function parseAgentcli(source: AgentcliSource): {
  readonly entries: readonly AgentcliEntry[];
  readonly schemas: readonly DeclaredSchema[];
} {
  const lists = { seen: new Set<string>(), numbers: new Map(), schemas: [] };
  const scope: Scope = { ...source, idSource: toSource(source.root, source.folder), ...lists };
  const entries = findTools(scope).flatMap((tool, index) => parseTool(scope, tool, index) ?? []);
  return { entries, schemas: scope.schemas };
}

function findTools({ document, diagnostics }: AgentcliSource): readonly unknown[] {
  const root = document.value;
  if (!isRecord(root)) {
    diagnostics.error('', `parse manifest: the root must be an object, not ${typeName(root)}`);
    return [];
  }
  for (const key of Object.keys(root)) {
    if (key !== 'tools')
      diagnostics.warning(pointerTo('', key), `unknown field ${goQuote(key)}`, { atKey: true });
  }
  const tools = getField(root, 'tools');
  if (!Array.isArray(tools)) {
    const what = tools === undefined ? 'tools is required' : 'tools must be an array';
    diagnostics.error(getFieldPointer(root, '', 'tools'), `parse manifest: ${what}`);
    return [];
  }
  if (tools.length > MANIFEST_TOOLS) {
    diagnostics.error('/tools', `parse manifest: more than ${MANIFEST_TOOLS} tools`);
    return [];
  }
  return tools;
}

/** The first error of a tool, in the original's order (spec decision 47), and all lints. */
function parseTool(scope: Scope, tool: unknown, index: number): AgentcliEntry | undefined {
  const at = pointerTo('/tools', index);
  if (!isRecord(tool)) {
    scope.diagnostics.error(at, `tool[${index}]: must be an object`);
    return undefined;
  }
  const name = getField(tool, 'name');
  const label =
    typeof name === 'string' && name !== '' ? `tool[${index}] ${goQuote(name)}` : `tool[${index}]`;
  const error =
    validateName(name, scope.seen) ??
    validateCommand(tool) ??
    validateEnv(tool) ??
    validateProgram(tool) ??
    validateOthers(tool);
  if (typeof name === 'string') scope.seen.add(name);
  if (error !== undefined) {
    const [key, message, inner] = error;
    const fieldPointer = getFieldPointer(tool, at, key);
    const pointer = inner === undefined ? fieldPointer : pointerTo(fieldPointer, inner);
    scope.diagnostics.error(pointer, `${label}: ${message}`, {
      fix: findFix(scope, tool, at, error),
    });
    return undefined;
  }
  lint(scope, tool, at, label);
  return toEntry(scope, tool, index, at, label);
}

/** The invalid field, the text after the tool's label, and the element when the field is a list. */
type FieldError = readonly [key: string, message: string, element?: number];

function validateName(name: unknown, seen: ReadonlySet<string>): FieldError | undefined {
  if (name === undefined || name === '') return ['name', 'name is required'];
  if (typeof name !== 'string') return ['name', 'name must be a string'];
  if (seen.has(name)) return ['name', 'duplicate name'];
  if (isLocked(name)) return ['name', 'name is reserved for a built-in tool'];
  if (!/^[A-Za-z0-9_-]+$/.test(name) || name.length > LONGEST_NAME) {
    return ['name', `name must be 1 to ${LONGEST_NAME} letters, digits, "_" and "-"`];
  }
  return undefined;
}

function validateCommand(tool: JsonObject): FieldError | undefined {
  const command = getField(tool, 'command');
  if (command === undefined) return ['command', 'command must have at least program name'];
  if (!Array.isArray(command)) return ['command', 'command must be an array of strings'];
  if (command.length === 0) return ['command', 'command must have at least program name'];
  const wrong = command.findIndex((word) => typeof word !== 'string' || word.includes('\0'));
  if (wrong < 0) return undefined;
  const what = typeof command[wrong] === 'string' ? 'holds a NUL character' : 'must be a string';
  return ['command', `command[${wrong}] ${what}`, wrong];
}

function validateEnv(tool: JsonObject): FieldError | undefined {
  const names = getField(tool, 'envPassthrough');
  if (names === undefined) return undefined;
  if (!Array.isArray(names))
    return ['envPassthrough', 'envPassthrough must be an array of strings'];
  for (const [index, name] of names.entries()) {
    const message = validateEnvName(name);
    if (message) return ['envPassthrough', `envPassthrough[${index}]: ${message}`, index];
  }
  return undefined;
}

function validateEnvName(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'must be a string';
  const normal = name.trim().toUpperCase();
  if (normal === '') return 'empty name';
  if (!/^[A-Z_][A-Z0-9_]*$/.test(normal)) {
    return `invalid name ${goQuote(name)} (must match [A-Z_][A-Z0-9_]*)`;
  }
  if (!LOADER_VARIABLES.has(normal)) return undefined;
  return `environment variable ${goQuote(normal)} is not allowed for security reasons`;
}

const PREFIX = './tools/bin/';

/** The raw text must start with the prefix; `\` is treated as `/` only when it is resolved (spec decision 41). */
function validateProgram(tool: JsonObject): FieldError | undefined {
  const [raw] = (getField(tool, 'command') ?? []) as readonly [string];
  // The manifest loads, but the host runs nothing of it before the user accepts it (spec decision 42).
  if (path.isAbsolute(raw)) return undefined;
  if (raw !== './tools/bin' && !raw.startsWith(PREFIX)) {
    return ['command', 'relative command[0] must start with ./tools/bin/', 0];
  }
  const clean = cleanPath(raw);
  if (clean.startsWith(PREFIX)) return undefined;
  const got = `(got ${goQuote(raw)} -> ${goQuote(clean)})`;
  return ['command', `command[0] escapes ./tools/bin after normalization ${got}`, 0];
}

/** Go's `path.Clean` over slashes, with `./` before a path below `tools` (spec A-31). */
function cleanPath(raw: string): string {
  const clean = path.posix.normalize(raw.replaceAll('\\', '/')).replace(/(?<=.)\/$/, '');
  return clean.startsWith('tools/') ? `./${clean}` : clean;
}

function validateOthers(tool: JsonObject): FieldError | undefined {
  const timeout = getField(tool, 'timeoutSec') ?? 0;
  const whole =
    Number.isInteger(timeout) && Number(timeout) >= 0 && Number(timeout) <= LONGEST_TIMEOUT;
  if (!whole || typeof timeout !== 'number') {
    return ['timeoutSec', `timeoutSec must be an integer from 0 to ${LONGEST_TIMEOUT}`];
  }
  if (typeof (getField(tool, 'description') ?? '') !== 'string') {
    return ['description', 'description must be a string'];
  }
  if (!isRecord(getField(tool, 'schema') ?? {})) return ['schema', 'schema must be an object'];
  return undefined;
}

function lint({ diagnostics }: Scope, tool: JsonObject, at: string, label: string): void {
  for (const key of Object.keys(tool)) {
    if (FIELDS.has(key)) continue;
    diagnostics.warning(pointerTo(at, key), `${label}: unknown field ${goQuote(key)}`, {
      atKey: true,
    });
  }
  const hidden = invisibleCount(String(getField(tool, 'description') ?? ''));
  if (hidden > 0) {
    const message = `${label}: description holds ${hidden} invisible characters, which are removed for the model`;
    diagnostics.warning(pointerTo(at, 'description'), message);
  }
}

function toEntry(
  scope: Scope,
  tool: JsonObject,
  index: number,
  at: string,
  label: string,
): AgentcliEntry | undefined {
  const { diagnostics, folder, idSource } = scope;
  const schema = getField(tool, 'schema') as object | undefined;
  const found = schema === undefined ? [] : validateSchema(schema, '2020-12');
  const [invalid] = found.filter(({ kind }) => kind === 'invalid');
  if (invalid) {
    const message = `${label}: schema is not a valid JSON Schema: ${invalid.message}`;
    diagnostics.error(`${at}/schema${invalid.pointer}`, message);
    return undefined;
  }
  for (const { pointer, message } of found) {
    const text = `${label}: ${message}: the tool is not offered`;
    diagnostics.warning(`${at}/schema${pointer}`, text, { blocks: index });
  }
  if (schema !== undefined) {
    const resolve = (): undefined => undefined;
    const named = { pointer: `${at}/schema`, name: `${label}: schema` };
    scope.schemas.push({ ...named, index, schema, otherwise: '2020-12', resolve });
  }
  const name = String(getField(tool, 'name'));
  const command = getField(tool, 'command') as readonly [string, ...string[]];
  const program = path.isAbsolute(command[0])
    ? command[0]
    : path.join(folder, cleanPath(command[0]));
  lintProgram(scope, index, at, label, command[0], program);
  return {
    dialect: 'agentcli',
    id: name,
    importedId: importedId(idSource, name),
    formerId: formerId(path.basename(folder), name),
    index,
    pointer: at,
    description: getField(tool, 'description') as string | undefined,
    schema,
    command,
    program,
    timeoutSec: Number(getField(tool, 'timeoutSec') ?? 0),
    envPassthrough: normalNames((getField(tool, 'envPassthrough') ?? []) as readonly string[]),
  };
}

/** Trimmed, upper case, the first of equal names kept (spec A-10). */
function normalNames(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.trim().toUpperCase()))];
}

function lintProgram(
  { diagnostics, surroundings, document }: Scope,
  index: number,
  at: string,
  label: string,
  raw: string,
  program: string,
): void {
  const pointer = `${at}/command/0`;
  if (surroundings.platform === 'win32' && !path.isAbsolute(raw) && !/\.exe$/i.test(raw)) {
    const message = `${label}: on Windows the program's name must end in .exe: the tool is not offered`;
    const fix = replaceValue(document, pointer, `${raw}.exe`, 'Add .exe');
    diagnostics.warning(pointer, message, { blocks: index, fix });
    return;
  }
  const state = surroundings.program(program);
  if (state === 'there') return;
  const message = `${label}: program ${goQuote(raw)} is ${state}: the tool is not offered`;
  diagnostics.warning(pointer, message, { blocks: index });
}

function findFix(
  scope: Scope,
  tool: JsonObject,
  at: string,
  [key, message, element]: FieldError,
): Fix | undefined {
  const { document, seen, numbers } = scope;
  const pointer = pointerTo(at, key);
  if (message === 'duplicate name') {
    const name = String(getField(tool, 'name'));
    let number = numbers.get(name) ?? 2;
    while (seen.has(`${name}_${number}`)) number++;
    numbers.set(name, number);
    return replaceValue(document, pointer, `${name}_${number}`, `Rename to ${name}_${number}`);
  }
  if (!message.startsWith('relative command[0]') || element !== 0) return undefined;
  const [raw] = getField(tool, 'command') as readonly [string];
  const base = path.posix.basename(raw.replaceAll('\\', '/'));
  if (!/^[\w.-]*\w$/.test(base)) return undefined;
  return replaceValue(document, pointerTo(pointer, 0), `${PREFIX}${base}`, `Use ${PREFIX}${base}`);
}

function replaceValue(
  document: SourceDocument,
  pointer: string,
  value: string,
  title: string,
): Fix {
  return { title, edits: [{ ...document.at(pointer), text: JSON.stringify(value) }] };
}
