/** The replacement for a secret (spec A-50). */
const REDACTED = '***REDACTED***';

/** Shorter values are not redacted, because replacing them would garble texts. */
const SHORTEST = 4;

/** Replaces secrets in a string. */
export type Redact = (text: string) => string;

/** Replaces each of the values, also as encoded in JSON, URLs and base64, longest first. */
export function redactValues(values: readonly string[]): Redact {
  const spelled = values
    .filter((value) => value.length >= SHORTEST)
    .flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      Buffer.from(value).toString('base64').replace(/=+$/, ''),
    ]);
  const needles = [...new Set(spelled)].sort((a, b) => b.length - a.length);
  return (text) => needles.reduce((now, needle) => now.replaceAll(needle, REDACTED), text);
}

/** Redacts the strings inside a value, including keys. */
export function redactDeep(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((each) => redactDeep(each, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [redact(key), redactDeep(inner, redact)]),
  );
}

/** Names whose values are always redacted (spec A-50). */
const SECRET_VARIABLES = ['OAI_API_KEY', 'OPENAI_API_KEY', 'GATEHOUSE_MODEL_API_KEY'];

/**
 * The log's redaction: values of known keys, and what `GATEHOUSE_REDACT` lists, separated by commas
 * or semicolons. Its entries are taken literally; `*` stands for any text without white space.
 */
export function createRedaction(env: NodeJS.ProcessEnv): Redact {
  const listed = (env['GATEHOUSE_REDACT'] ?? '').split(/[,;]/).map((each) => each.trim());
  const patterns = listed.filter((each) => each.includes('*') && /[^*]/.test(each)).map(toPattern);
  const literal = listed.filter((each) => !each.includes('*'));
  const values = SECRET_VARIABLES.map((name) => env[name] ?? '');
  const redact = redactValues([...values, ...literal]);
  return (text) => patterns.reduce((now, pattern) => now.replace(pattern, REDACTED), redact(text));
}

function toPattern(text: string): RegExp {
  const parts = text.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('[^\\s"]*'), 'g');
}
