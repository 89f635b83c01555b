/** A decision about a call and its reasons, as returned by `gatehouse explain` and the host. */
export interface Explained {
  readonly decision: string;
  readonly layer: string;
  /** One sentence. */
  readonly reason: string;
  readonly rule?: RuleWords;
  readonly subjects: readonly {
    readonly permission: string;
    readonly target: string;
    readonly decision: string;
    readonly rule?: RuleWords;
    /** One sentence. */
    readonly reason?: string;
  }[];
  /** The rule that nearly covered a part, and the difference. A sentence. */
  readonly near?: string;
  /** The rules that "always" would store, from narrow to wide. */
  readonly candidates?: readonly { readonly rules: readonly RuleWords[] }[];
  readonly problems?: readonly { readonly index: number; readonly message: string }[];
}

interface RuleWords {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
  readonly source?: string;
  readonly origin?: { readonly layer: string; readonly file?: string };
}

/** Formats the decision for the user: one sentence, then a line for each finding. */
export function explainedLines(explained: Explained): readonly string[] {
  const {
    decision,
    layer,
    reason,
    rule,
    subjects,
    near,
    candidates = [],
    problems = [],
  } = explained;
  const rows = inColumns(
    subjects.map((subject) => [
      subject.decision,
      subject.permission,
      visible(subject.target),
      `[${subject.rule === undefined ? 'no rule' : toName(subject.rule)}]`,
    ]),
  );
  const offers = candidates.map(({ rules }) => rules.map(toName).join(' and '));
  return [
    `${decision} (${layer}): ${visible(reason)}`,
    ...(rule === undefined ? [] : [`  rule: ${rule.action} ${toName(rule)}, ${toSource(rule)}`]),
    ...subjects.flatMap((subject, at) => [`  ${rows[at]}`, ...toReason(subject, reason)]),
    ...(near === undefined ? [] : [`  ${visible(near)}`]),
    ...offers.map((offer, at) => `  ${at === 0 ? '"always" offers' : '            or'}  ${offer}`),
    ...problems.map(({ index, message }) => `  rule ${index}: ${visible(message)}`),
  ];
}

/** Why a part isn't allowed, unless the first line says so already. */
function toReason({ decision, reason }: Explained['subjects'][number], said: string) {
  if (reason === undefined || decision === 'allow' || reason === said) return [];
  return [`    ${visible(reason)}`];
}

/** Width in characters up to which columns are padded; longer cells overflow. */
const WIDEST = 40;

function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, column) =>
    rows.reduce((most, row) => Math.min(WIDEST, Math.max(most, row[column]?.length ?? 0)), 0),
  );
  return rows.map((row) =>
    row
      .map((word, column) => word.padEnd(widths?.[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function toName({ permission, pattern }: RuleWords): string {
  return `${permission} ${visible(pattern)}`;
}

function toSource({ source, origin }: RuleWords): string {
  if (origin === undefined) return `a ${source ?? 'session'} rule`;
  const layer = origin.layer === 'default' ? 'a shipped rule' : `a ${origin.layer} rule`;
  return origin.file === undefined ? layer : `${layer} in ${origin.file}`;
}

/** Escapes control and invisible characters. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}
