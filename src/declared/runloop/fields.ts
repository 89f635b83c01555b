import { type FieldTable, TEXT } from '../manifest/field.ts';

export const RUNLOOP_FIELDS: FieldTable = {
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
      doc: 'What the result of one call may use: `tokens` of the context, `usd` for a model that reads them.',
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
    {
      name: 'usd',
      doc: 'The most US dollars that the model may take to read a result once. The tool does not run where the price of the model is unknown.',
      json: '0.05',
    },
  ],
  '/tools/*/observability': [
    { name: 'tags', doc: 'Labels for filtering records.', json: '["$1"]' },
  ],
};
