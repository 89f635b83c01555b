import { type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { TextRead } from '../../base/disk/readRegular.ts';
import { toRecord } from '../../base/json.ts';

/** Why rules in a settings file may be missing from what was read of it. */
export interface SettingsFault {
  /** One sentence, which does not name the file. */
  readonly why: string;
  /** 1-based; undefined if the file as a whole can't be read. */
  readonly line?: number;
}

/** The values of a settings file, and what keeps it from being read completely. */
export interface ParsedSettings {
  readonly values: Readonly<Record<string, unknown>>;
  readonly fault?: SettingsFault;
}

const KEY = 'gatehouse.permissions';

/**
 * Parses JSON with comments as VS Code does: past an error, it keeps what it still makes sense of. `section` is
 * `settings` in a `.code-workspace` file. A file that is missing or empty has no settings and no fault.
 */
export function parseSettingsFile(read: TextRead, section: readonly string[] = []): ParsedSettings {
  if (read.state === 'absent') return { values: {} };
  if (read.state === 'unreadable') {
    return { values: {}, fault: { why: `The file can't be read: ${read.why}.` } };
  }
  try {
    return parseText(read.text, section);
  } catch {
    // The parser is recursive.
    return { values: {}, fault: { why: 'The file is nested too deeply.' } };
  }
}

function parseText(text: string, section: readonly string[]): ParsedSettings {
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: true, allowEmptyContent: true };
  const root: unknown = parse(text, errors, options);
  const values = toRecord(section.reduce<unknown>((value, key) => toRecord(value)[key], root));
  const fault = toSyntaxFault(text, errors) ?? findOtherFault(text, root, section);
  return fault === undefined ? { values } : { values, fault };
}

function toSyntaxFault(text: string, [first]: readonly ParseError[]): SettingsFault | undefined {
  if (first === undefined) return undefined;
  const line = toLine(text, first.offset);
  const code = printParseErrorCode(first.error);
  return { why: `Line ${line} is not valid JSON (${code}).`, line };
}

/** What is valid JSON, and still hides rules: no object, or a list that another one replaces. */
function findOtherFault(
  text: string,
  root: unknown,
  section: readonly string[],
): SettingsFault | undefined {
  if (root === undefined) return undefined;
  if (typeof root !== 'object' || root === null || Array.isArray(root)) {
    return { why: 'The file does not contain a JSON object.', line: 1 };
  }
  // Most files have the key at most once, and need no tree.
  if (text.indexOf(KEY) === text.lastIndexOf(KEY)) return undefined;
  const tree = parseTree(text, undefined, { allowTrailingComma: true });
  const owner = section.reduce(
    (node, key) =>
      node?.children?.findLast((each) => each.children?.[0]?.value === key)?.children?.[1],
    tree,
  );
  const [, second] = (owner?.children ?? []).filter((each) => each.children?.[0]?.value === KEY);
  if (second === undefined) return undefined;
  const line = toLine(text, second.offset);
  return { why: `Line ${line} has "${KEY}" again, which hides the rules above it.`, line };
}

function toLine(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
