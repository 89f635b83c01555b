import type { Dialect } from '../declared/toolEntry.ts';

/** The documentation of a field, in one or two sentences. */
export interface Field {
  readonly name: string;
  readonly doc: string;
  /** The text inserted as the value, as a snippet in the document's notation. */
  readonly json?: string;
  readonly yaml?: string;
  /** Values to choose from. */
  readonly values?: readonly string[];
}

const TEXT = { json: '"$1"', yaml: '$1' };

/** The fields by position; `*` stands for any index or name. */
export const FIELDS: Readonly<Record<Dialect, Readonly<Record<string, readonly Field[]>>>> = {
  agentcli: {
    '': [{ name: 'tools', doc: 'The tools: an array.', json: '[\n\t$1\n]' }],
    '/tools/*': [
      { name: 'name', doc: 'The name of the function. Unique in the manifest; required.', ...TEXT },
      { name: 'description', doc: 'What the tool does, for the model.', ...TEXT },
      {
        name: 'schema',
        doc: 'JSON Schema of the arguments. The model gets it unchanged as `parameters`, and every call is checked against it.',
        json: '{\n\t"type": "object",\n\t"properties": {$1},\n\t"additionalProperties": false\n}',
      },
      {
        name: 'command',
        doc: 'The program and its fixed arguments. A relative program starts with `./tools/bin/` and lies in the folder of this file. No shell: every element is one argument. The arguments of the call come as JSON on standard input; the answer is one line of JSON on standard output.',
        json: '["./tools/bin/$1"]',
      },
      {
        name: 'timeoutSec',
        doc: 'Whole seconds for one call, up to 86400. 0 or absent: the setting `gatehouse.tools.timeout`.',
        json: '30',
      },
      {
        name: 'envPassthrough',
        doc: 'Names of environment variables that the program gets besides PATH and HOME. Upper-cased; each must match `[A-Z_][A-Z0-9_]*`. Values are never logged.',
        json: '["$1"]',
      },
    ],
  },
  runloop: {
    '': [
      {
        name: 'version',
        doc: 'The version of this document: 1. Other versions are rejected.',
        json: '1',
      },
      {
        name: 'tools',
        doc: 'The attachments of the agent, in order. Missing or empty: none.',
        json: '[\n\t$1\n]',
      },
    ],
    '/tools/*': [
      {
        name: 'id',
        doc: 'A stable identifier such as `mail.smtp_send`. Changing it breaks existing references. Required.',
        ...TEXT,
      },
      { name: 'description', doc: 'A short summary for the model. Required.', ...TEXT },
      {
        name: 'transport',
        doc: 'How the tool is reached: `exec` runs a program, `http` sends a request. Required.',
        json: '{\n\t"kind": "$1"\n}',
      },
      {
        name: 'input_schema',
        doc: 'JSON Schema of the input, or a `$ref`. Checked before the call. Required.',
        json: '{\n\t"type": "object"$1\n}',
      },
      {
        name: 'result_schema',
        doc: 'JSON Schema of the result, or a `$ref`. A result that does not fit is an error. Required.',
        json: '{\n\t"type": "object"$1\n}',
      },
      {
        name: 'schema_refs',
        doc: 'Further schemas of this entry, by the name that `$ref: "schema:NAME"` uses: a schema, or the id of one in the folder `schemas`.',
        json: '{$1}',
      },
      {
        name: 'capabilities',
        doc: 'Capabilities `family[:detail]` that must be granted by `policy.caps` before the tool is offered. One missing grant hides the tool.',
        json: '["$1"]',
      },
      {
        name: 'secrets',
        doc: 'Ids of secrets. For `exec` they become variables (`runloop/mail/key` is `RUNLOOP_MAIL_KEY`), for `http` they fill `{{secret:ID}}` in headers.',
        json: '["runloop/$1"]',
      },
      {
        name: 'budget',
        doc: 'What one call may use: `tokens` of result text, and `usd`.',
        json: '{ "tokens": $1 }',
      },
      {
        name: 'requires_confirmation',
        doc: 'Every call asks the user, whatever rule allows it; without a user it is denied.',
        json: 'true',
      },
      {
        name: 'observability',
        doc: '`tags` are added to the records of each call.',
        json: '{ "tags": ["$1"] }',
      },
    ],
    '/tools/*/transport': [
      { name: 'kind', doc: '`exec` or `http`.', json: '"$1"', values: ['exec', 'http'] },
      {
        name: 'command',
        doc: 'exec: the absolute path of the program. It gets the path of a file with the input as JSON as its first argument, and answers with one JSON value.',
        ...TEXT,
      },
      {
        name: 'args',
        doc: 'exec: further arguments, after the path of the input.',
        json: '["$1"]',
      },
      {
        name: 'method',
        doc: 'http: the method. GET and HEAD have no body; there the input fills the URL.',
        json: '"$1"',
        values: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      },
      {
        name: 'url',
        doc: 'http: an absolute http or https URL. `{name}` in the path or query is a value of the input, percent-encoded. Redirects are not followed.',
        ...TEXT,
      },
      {
        name: 'headers',
        doc: 'http: fixed headers. A value may hold `{{secret:ID}}` with an id of `secrets`.',
        json: '{\n\t"$1": ""\n}',
      },
    ],
    '/tools/*/budget': [
      {
        name: 'tokens',
        doc: 'The most tokens that a result may take in the context.',
        json: '1000',
      },
      { name: 'usd', doc: 'A hint for the author’s own accounting.', json: '0' },
    ],
    '/tools/*/observability': [
      { name: 'tags', doc: 'Labels for filtering records.', json: '["$1"]' },
    ],
  },
  compozy: {
    '': [
      {
        name: 'resource',
        doc: 'What the file declares: `tool`. Required.',
        json: '"tool"',
        yaml: 'tool',
        values: ['tool'],
      },
      {
        name: 'id',
        doc: 'The id of the tool, in kebab-case, unique in the project without regard to case. Required.',
        ...TEXT,
      },
      {
        name: 'description',
        doc: 'What the tool can do, its limits and its use; the model reads it.',
        ...TEXT,
      },
      {
        name: 'timeout',
        doc: 'Time for one run as a Go duration: `500ms`, `30s`, `5m`, `1h30m`. Default: the project’s timeout, or 60 s.',
        json: '"30s"',
        yaml: '30s',
      },
      {
        name: 'config',
        doc: 'Fixed values for the tool, the same for every call: its second argument.',
        json: '{$1}',
        yaml: '\n  $1',
      },
      {
        name: 'env',
        doc: 'Variables that only this tool sees, while it runs. A value may be a template such as `{{ .env.API_KEY }}` or `{{ .project.debug | default(false) }}`.',
        json: '{$1}',
        yaml: '\n  $1',
      },
      {
        name: 'input',
        doc: 'JSON Schema (Draft 7) of the arguments, checked before the run. Default: any input.',
        json: '{$1}',
        yaml: '\n  type: object\n  properties:\n    $1',
      },
      {
        name: 'output',
        doc: 'JSON Schema (Draft 7) of the result, checked after the run.',
        json: '{$1}',
        yaml: '\n  type: object\n  properties:\n    $1',
      },
      {
        name: 'with',
        doc: 'Default arguments. Arguments of the call take precedence; the merge is shallow. No secrets here: use `env`.',
        json: '{$1}',
        yaml: '\n  $1',
      },
    ],
  },
};

/** Capability families allowed in `policy.caps`. */
export const FAMILIES: readonly string[] = [
  'net:',
  'exec',
  'secrets:',
  'kb_read:',
  'kb_write:',
  'fs:',
  'time',
  'model',
];

/** The field that a pointer refers to, or undefined. */
export function fieldAt(dialect: Dialect, pointer: string): Field | undefined {
  const cut = pointer.lastIndexOf('/');
  const name = pointer.slice(cut + 1);
  return findFields(dialect, pointer.slice(0, Math.max(cut, 0)))?.find(
    (field) => field.name === name,
  );
}

/** The fields allowed in the object at a pointer. */
export function findFields(dialect: Dialect, pointer: string): readonly Field[] | undefined {
  const generalPointer = pointer.replace(/^\/tools\/\d+/, '/tools/*');
  return Object.hasOwn(FIELDS[dialect], generalPointer)
    ? FIELDS[dialect][generalPointer]
    : undefined;
}
