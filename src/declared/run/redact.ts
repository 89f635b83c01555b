/** The replacement for a secret (spec A-50). */
const REDACTED = '***REDACTED***';

/** Shorter values are not redacted, because replacing them would garble texts. */
const SHORTEST = 4;

/** Replaces secrets in a string. With `isCut`, the end of the string was cut off, so it drops what may be the beginning of one. */
export type Redact = (text: string, isCut?: boolean) => string;

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
  return (text, isCut = false) => {
    const whole = isCut ? dropBeginning(text, needles) : text;
    return needles.reduce((now, needle) => now.replaceAll(needle, REDACTED), whole);
  };
}

/** Drops the end of a text as long as one of the needles may begin there. */
function dropBeginning(text: string, needles: readonly string[]): string {
  let end = text.length;
  for (let dropped = -1; dropped !== 0; end -= dropped) {
    dropped = Math.max(0, ...needles.map((needle) => findBeginning(text, end, needle)));
  }
  return text.slice(0, end);
}

/** The length of the longest beginning of the needle, but not all of it, that ends at `end`. */
function findBeginning(text: string, end: number, needle: string): number {
  let length = Math.min(needle.length - 1, end);
  while (!text.startsWith(needle.slice(0, length), end - length)) length -= 1;
  return length;
}

/** Redacts the strings inside a value. Keys stay: they are the tool's words, and a reader looks for them. */
export function redactDeep(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((each) => redactDeep(each, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, redactDeep(inner, redact)]),
  );
}

/** A variable whose name says that its value is a secret: `DB_PASSWORD`, `PGPASSWORD`, `accessToken`. */
const SECRET_NAME = new RegExp(
  `(?:${[
    '(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|CREDENTIAL)',
    '(?:PASSWORD|SECRET|CREDENTIAL|(?<!MAX_)TOKEN)S',
    '(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION)KEYS?',
    '(?:^|_)(?:KEYS?|PASS|PW|PAT|AUTH(?:ORIZATION)?|COOKIES?)',
    '(?:^|_)(?:WEBHOOK(?:_URL)?|CONNECTION_STRING)',
    '_PWD',
    '^SSHPASS',
  ].join('|')})(?:_(?:BASE|BASE64|B64))?(?:_?[0-9]+)?$`,
  'i',
);

/** Tokens that services issue, recognized by their form. */
const TOKEN = new RegExp(
  [
    'sk-[A-Za-z0-9_-]{20,}',
    'gh[pousr]_[A-Za-z0-9]{30,}',
    'github_pat_[A-Za-z0-9_]{30,}',
    'glpat-[A-Za-z0-9_-]{20,}',
    'npm_[A-Za-z0-9]{30,}',
    'hf_[A-Za-z0-9]{30,}',
    'xox[abposr]-[A-Za-z0-9-]{10,}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'AIza[A-Za-z0-9_-]{35}',
    '[rs]k_(?:live|test)_[A-Za-z0-9]{20,}',
    'eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]+',
    '-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[^-]*(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----)?',
  ].join('|'),
  'g',
);

/** The password of a URL, between the marks that any text with it has, because a password alone may be a word. */
const URL_PASSWORD = /(?<=:\/\/[^\s/?#:@]*):[^\s/?#@]+@/g;

/** Whether a variable's value is a secret; `USER` with `root` is none. */
export function isSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || findSecrets(value).length > 0;
}

/** The values of those variables that are secrets, and the secrets within them. */
export function secretValues(
  names: readonly string[],
  values: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return names.flatMap((name) => {
    const value = values[name] ?? '';
    return isSecret(name, value) ? [...new Set([value, ...findSecrets(value)])] : [];
  });
}

/** The parts of a value that are secrets by their form. */
function findSecrets(value: string): readonly string[] {
  return [...(value.match(TOKEN) ?? []), ...(value.match(URL_PASSWORD) ?? [])];
}

/** Names whose values are always redacted (spec A-50). */
const SECRET_VARIABLES = ['OAI_API_KEY', 'OPENAI_API_KEY', 'GATEHOUSE_MODEL_API_KEY'];

/**
 * The log's redaction: values of known keys, tokens of known forms, and what `GATEHOUSE_REDACT` lists,
 * separated by commas or semicolons. Its entries are taken literally; `*` stands for any text without white space.
 */
export function createRedaction(env: NodeJS.ProcessEnv): Redact {
  const listed = (env['GATEHOUSE_REDACT'] ?? '').split(/[,;]/).map((each) => each.trim());
  const patterns = listed.filter((each) => each.includes('*') && /[^*]/.test(each)).map(toPattern);
  const literal = listed.filter((each) => !each.includes('*'));
  const values = SECRET_VARIABLES.map((name) => env[name] ?? '');
  const redact = redactValues([...values, ...literal]);
  return (text) =>
    [TOKEN, ...patterns].reduce((now, pattern) => now.replace(pattern, REDACTED), redact(text));
}

function toPattern(text: string): RegExp {
  const parts = text.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('[^\\s"]*'), 'g');
}
