import { recordOf } from '../base/json.ts';

/** Reads of `_meta.gatehouse`: everything in it is optional and comes from another process. */
export function gatehouseMeta(holder: {
  readonly _meta?: { readonly [key: string]: unknown } | null;
}): Readonly<Record<string, unknown>> {
  return recordOf(holder._meta?.['gatehouse']);
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asStrings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** A rule in one line, as it would be read aloud: `allow bash(npm test*) · user settings`. */
export function ruleLine(rule: unknown, layer?: unknown): string | undefined {
  if (Array.isArray(rule)) {
    const lines = rule.flatMap((each) => ruleLine(each) ?? []);
    return lines.length === 0 ? undefined : lines.join(', ');
  }
  const { permission, pattern, action } = recordOf(rule);
  if (typeof permission !== 'string' || typeof pattern !== 'string') {
    return asString(rule) ?? (layer === undefined ? undefined : asString(layer));
  }
  return `${asString(action) ?? 'allow'} ${permission}(${pattern})`;
}
