import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

// Imported on the first call: a dynamic import of the packages themselves has no named exports once bundled.

const OPTIONS = {
  strict: true,
  // Foreign schemas name required fields that live in a sibling branch; that is not a fault.
  strictRequired: false,
  strictTypes: false,
  // These schemas are our own (foreign ones have a `check`), and a test holds them against the meta-schema.
  // To do it here means to compile that one first, which took more than half of a window's first call.
  validateSchema: false,
} as const;

export function createDraft07(): Ajv {
  return new Ajv(OPTIONS);
}

export function createDraft2020(): Ajv {
  return new Ajv2020(OPTIONS);
}
