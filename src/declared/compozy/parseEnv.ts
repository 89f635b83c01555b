import { isRecord } from '../../base/json.ts';
import { goQuote } from '../manifest/parseGo.ts';
import { LOADER_VARIABLES, PRIVATE_VARIABLE } from '../manifest/parseIds.ts';
import { getField, type JsonObject, pointerTo, typeName } from '../manifest/parsePointer.ts';
import type { CompozyScope } from './compozyScope.ts';
import { type GoTemplate, hasFallback, parseGoTemplate, templatePaths } from './parseTemplate.ts';

/** `env` (spec B-8, B-9, B-38): names, values and templates. */
export function parseEnv(
  { diagnostics, document, surroundings }: CompozyScope,
  root: JsonObject,
): readonly { readonly name: string; readonly value: GoTemplate }[] {
  const env = getField(root, 'env');
  if (!isRecord(env)) return [];
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === null) return [];
    const pointer = pointerTo('/env', name);
    const nameProblem = validateEnvName(name);
    if (nameProblem) diagnostics.error(pointer, nameProblem, { atKey: true });
    if (typeof value !== 'string') {
      const edits = [{ ...document.at(pointer), text: JSON.stringify(String(value)) }];
      const isScalar = typeof value === 'number' || typeof value === 'boolean';
      const fix = isScalar ? { title: 'Add quotes', edits } : undefined;
      const message = `environment variable ${goQuote(name)} must be a string, not ${typeName(value)}`;
      diagnostics.error(pointer, message, { fix });
      return [];
    }
    if (/[\n\r\0]/.test(value)) {
      const message = `environment variable ${goQuote(name)} contains invalid characters (newline or null byte)`;
      diagnostics.error(pointer, message);
    }
    const parsed = parseGoTemplate(value);
    if (!parsed.ok) {
      diagnostics.error(pointer, parsed.error);
      return [];
    }
    for (const [top, variable = ''] of hasFallback(parsed.template)
      ? []
      : templatePaths(parsed.template)) {
      if (top !== 'env' || (surroundings.variable(variable) && !PRIVATE_VARIABLE.test(variable)))
        continue;
      const message = `environment variable ${goQuote(variable)} is not set: the tool is not offered`;
      diagnostics.warning(pointer, message, { blocks: 0 });
    }
    return nameProblem ? [] : [{ name, value: parsed.template }];
  });
}

function validateEnvName(name: string): string | undefined {
  if (!/^[A-Z0-9_]+$/.test(name)) {
    const rule = 'must contain only uppercase letters, numbers, and underscores';
    return `invalid environment variable name ${goQuote(name)}: ${rule}`;
  }
  if (!LOADER_VARIABLES.has(name)) return undefined;
  return `environment variable ${goQuote(name)} is not allowed for security reasons`;
}
