/** Go's `%q`: how the original programs quote a name in an error. */
export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text) quoted += ESCAPES.get(character) ?? escapeUnprintable(character);
  return `${quoted}"`;
}

/** Most names: printable ASCII without `"` and `\`. */
const PLAIN = /^[ !#-[\]-~]*$/;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** Go's `strconv.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function escapeUnprintable(character: string): string {
  if (PRINTABLE.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** The largest `int64` of nanoseconds: about 292 years. */
const LONGEST = (1n << 63n) - 1n;

export type GoDuration =
  | { readonly ok: true; readonly nanoseconds: bigint }
  | { readonly ok: false; readonly error: string };

/** Go's `time.ParseDuration`, with its error texts. */
export function parseGoDuration(text: string): GoDuration {
  const invalid = { ok: false, error: `time: invalid duration ${goQuote(text)}` } as const;
  const [, sign = '', body = ''] = /^([+-]?)([\s\S]*)$/.exec(text) ?? [];
  if (body === '0') return { ok: true, nanoseconds: 0n };
  if (body === '' || text.length > 200) return invalid;

  let total = 0n;
  for (let rest = body; rest !== ''; ) {
    const [whole = '', integer = '', fraction = ''] = /^(\d*)(?:\.(\d*))?/.exec(rest) ?? [];
    if (integer === '' && fraction === '') return invalid;
    rest = rest.slice(whole.length);
    const [unit = ''] = /^[^\d.]+/.exec(rest) ?? [];
    if (unit === '') return { ok: false, error: `time: missing unit in duration ${goQuote(text)}` };
    const scale = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined;
    if (scale === undefined) {
      const error = `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
      return { ok: false, error };
    }
    total += BigInt(integer || '0') * scale;
    total += (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
    if (total > LONGEST) return invalid;
    rest = rest.slice(unit.length);
  }
  return { ok: true, nanoseconds: sign === '-' ? -total : total };
}

/** Go's `Duration.String()`: `1h30m0s`, `1.5s`, `500ms`, `0s`. */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 1_000n)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 1_000_000n)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = String(value % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}
