import { failure, type Outcome, success } from '../base/outcome.ts';
import { findSchemaFault } from '../gate/validate.ts';
import type { RequirementSet } from '../permissions/rules/requirements.ts';

/** Reads a requirement set from parsed JSON or YAML (spec C-33 … C-37), Errors name the field. */
export async function parseRequirements(value: unknown): Promise<Outcome<RequirementSet>> {
  const fault = await findSchemaFault(REQUIREMENTS, value);
  return fault === undefined && isRequirementSet(value)
    ? success(value)
    : failure(fault ?? 'A requirement set must be an object.');
}

const TEXTS = { type: 'array', items: { type: 'string', minLength: 1 } };

/** Unknown keys are errors, because a misspelled family would silently grant nothing. */
export const REQUIREMENTS = {
  type: 'object',
  properties: {
    fs: {
      type: 'object',
      properties: { read: TEXTS, write: TEXTS },
      additionalProperties: false,
    },
    net: { type: 'object', properties: { hosts: TEXTS }, additionalProperties: false },
    shell: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          cmd: { type: 'string', minLength: 1 },
          args: {
            type: 'array',
            items: {
              anyOf: [
                { type: 'string' },
                {
                  type: 'object',
                  properties: { wildcard: { const: true } },
                  required: ['wildcard'],
                  additionalProperties: false,
                },
                {
                  type: 'object',
                  properties: { prefix: { type: 'string' } },
                  required: ['prefix'],
                  additionalProperties: false,
                },
              ],
            },
          },
        },
        required: ['cmd'],
        additionalProperties: false,
      },
    },
    capabilities: TEXTS,
  },
  additionalProperties: false,
};

/** Only narrows the type: the schema has validated every field. */
function isRequirementSet(value: unknown): value is RequirementSet {
  return typeof value === 'object' && value !== null;
}
