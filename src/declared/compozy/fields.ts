import { type FieldTable, TEXT } from '../manifest/field.ts';

export const COMPOZY_FIELDS: FieldTable = {
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
      doc: "Time for one run as a Go duration: `500ms`, `30s`, `5m`, `1h30m`. Default: the project's timeout, or 60 s.",
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
};
