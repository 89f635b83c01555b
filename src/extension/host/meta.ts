import { asString, recordOf } from '../../base/json.ts';

/** Reads of `_meta.gatehouse`: everything in it is optional and comes from another process. */
export function gatehouseMeta(holder: {
  readonly _meta?: { readonly [key: string]: unknown } | null;
}): Readonly<Record<string, unknown>> {
  return recordOf(holder._meta?.['gatehouse']);
}

/** A rule in one line, as it would be read aloud: `ask bash(npm publish*)`. A list is joined. */
export function ruleLine(rule: unknown): string | undefined {
  return lineOf(rule, (action, line) => `${action} ${line}`);
}

/** The same without its action, where all that is spoken of allows: `bash(npm test*)`. */
export function patternLine(rule: unknown): string | undefined {
  return lineOf(rule, (_, line) => line);
}

function lineOf(
  rule: unknown,
  write: (action: string, line: string) => string,
): string | undefined {
  if (Array.isArray(rule)) {
    const lines = [...new Set(rule.flatMap((each) => lineOf(each, write) ?? []))];
    return lines.length === 0 ? undefined : lines.join(', ');
  }
  const { permission, pattern, action } = recordOf(rule);
  if (typeof permission !== 'string' || typeof pattern !== 'string') return asString(rule);
  return write(asString(action) ?? 'allow', `${permission}(${pattern})`);
}
