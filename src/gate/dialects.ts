import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

// This module is loaded on demand: a dynamic import of the packages themselves has no named exports once bundled.

const OPTIONS = {
  strict: true,
  // Foreign schemas may require fields that a sibling branch defines.
  strictRequired: false,
  strictTypes: false,
  // These schemas are our own (foreign ones have a `check`), and a test validates them. Validating them
  // here would compile the meta-schema, which took more than half of the time of a window's first call.
  validateSchema: false,
} as const;

export function createDraft07(): Ajv {
  return new Ajv(OPTIONS);
}

export function createDraft2020(): Ajv {
  return new Ajv2020(OPTIONS);
}
