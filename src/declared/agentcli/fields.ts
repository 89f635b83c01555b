import { type FieldTable, TEXT } from '../manifest/field.ts';

export const AGENTCLI_FIELDS: FieldTable = {
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
};
