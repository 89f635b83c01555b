import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { isRecord } from '../../base/json.ts';
import { type EntryGroup, leaveOut, type SourceFile } from './products/entry.ts';
import { type ExistingRule, type ImportedRule, type Settled, settle } from './settle.ts';
import { type Locations, listSources, type SourceReader } from './sourceFiles.ts';

/** What an import would do. Nothing is written. */
export interface RuleImport {
  /** The files that were looked for. */
  readonly searched: readonly SourceFile[];
  /** The files that were found. */
  readonly files: readonly SourceReport[];
  /** What becomes of each entry. */
  readonly entries: readonly Settled[];
  /** The rules to save, each once. */
  readonly rules: readonly ImportedRule[];
}

export interface SourceReport {
  readonly source: SourceFile;
  readonly entries: number;
  /** Why nothing of the file is imported. A sentence. */
  readonly problem?: string;
}

/** More entries of one file are not read. */
const MOST_ENTRIES = 2000;

/**
 * Reads the rules of other products. An unreadable file is a problem that is told, and may hold a deny, so
 * nothing of its product is allowed then.
 */
export function importRules(locations: Locations, existing: readonly ExistingRule[]): RuleImport {
  const sources = listSources(locations);
  const searched = sources.map(({ source }) => source);
  const read = sources.flatMap((reader) => readSource(reader) ?? []);
  const groups = read.flatMap((each) => each.groups);
  const folders = { workspace: locations.workspace, home: locations.home };
  // A file that can't be read stands for itself among the entries; its problem is listed once.
  const entries = settle(groups, existing, folders).filter(
    ({ written, source }) => written !== source.path,
  );
  const rules = new Map<string, ImportedRule>();
  for (const rule of entries.flatMap((each) => each.rules)) rules.set(JSON.stringify(rule), rule);
  return { searched, files: read.map(({ file }) => file), entries, rules: [...rules.values()] };
}

interface ReadSource {
  readonly file: SourceReport;
  readonly groups: readonly EntryGroup[];
}

function readSource({ source, beside, read }: SourceReader): ReadSource | undefined {
  const settings = readJson(source.path);
  if (settings === undefined) return undefined;
  if (typeof settings === 'string') return unread(source, settings);
  const second = beside === undefined ? undefined : readJson(beside);
  const groups = read(settings, typeof second === 'string' ? undefined : second);
  const entries = groups.reduce((sum, group) => sum + group.entries.length, 0);
  if (entries > MOST_ENTRIES) return unread(source, `It has more than ${MOST_ENTRIES} rules.`);
  return { file: { source, entries }, groups };
}

/** The content of a JSON file with comments; undefined if there is none; a string: why it can't be read. */
function readJson(file: string): Readonly<Record<string, unknown>> | string | undefined {
  const read = readRegularText(file);
  if (read.state === 'absent') return undefined;
  if (read.state === 'unreadable') return `It can't be read: ${read.why}.`;
  try {
    return parseText(read.text);
  } catch (error) {
    // The parser is recursive.
    if (!(error instanceof RangeError)) throw error;
    return "It can't be read: it is nested too deeply.";
  }
}

function parseText(text: string): Readonly<Record<string, unknown>> | string {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    return `It isn't valid JSON: line ${line}, ${printParseErrorCode(first.error)}.`;
  }
  return isRecord(value) ? value : "It doesn't contain a JSON object.";
}

function unread(source: SourceFile, problem: string): ReadSource {
  const all = [{ permission: '*', pattern: '*' }];
  const entry = { ...leaveOut(source.path, 'deny', problem, all), unread: true } as const;
  const group: EntryGroup = {
    source,
    list: source.product,
    decides: 'strictest',
    entries: [entry],
  };
  return { file: { source, entries: 0, problem }, groups: [group] };
}
