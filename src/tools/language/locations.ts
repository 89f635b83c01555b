import path from 'node:path';
import { success } from '../../base/outcome.ts';
import type { CodeLocation, LanguageAnswer } from '../../base/tools/languageQuery.ts';
import type { Runtime } from '../../runtime/runtime.ts';

export interface ShownLocations {
  /** One location in each line: `src/a.ts:3:7: kind name (in what): the line`. */
  readonly text: string;
  readonly found: number;
  readonly note?: string;
}

const MOST_LOCATIONS = 200;
/** Lines are shown of so many files. */
const MOST_FILES = 50;
const LINE_LENGTH = 200;
const TEXT_LENGTH = 300;

const STARTING =
  'The language features have just started and may not know all files yet. If something is missing, ask again.';

/** The locations in files that the call may read, with their lines. */
export async function showLocations(
  answer: LanguageAnswer,
  runtime: Runtime,
): Promise<ShownLocations> {
  const { locations = [] } = answer;
  const files = createReadable(runtime);
  const shown: string[] = [];
  let hidden = false;
  let cut = answer.cut === true;
  for (const location of locations) {
    if (shown.length >= MOST_LOCATIONS) {
      cut = true;
      break;
    }
    const file = await files(location.path);
    if (file === undefined) hidden = true;
    else shown.push(describe(location, file));
  }
  const notes = [
    ...(answer.starting ? [STARTING] : []),
    ...(hidden ? ['Results in files that may not be read are left out.'] : []),
    ...(cut ? [`There are more than ${shown.length} results; the others are left out.`] : []),
  ];
  const text = shown.length > 0 ? shown.join('\n') : 'Nothing was found.';
  return { text, found: shown.length, ...(notes.length > 0 && { note: notes.join(' ') }) };
}

interface ReadableFile {
  /** Relative to the root if it is below it. */
  readonly name: string;
  readonly lines: readonly string[];
}

/** Looks up each file once. Undefined: it may not be read. */
function createReadable({ fs, folders }: Runtime) {
  const known = new Map<string, Promise<ReadableFile | undefined>>();
  const look = async (file: string): Promise<ReadableFile | undefined> => {
    // What is not read for its lines is still authorized.
    const read = known.size <= MOST_FILES ? await fs.readText(file) : undefined;
    using text = read?.ok ? read.data : undefined;
    const facts = text === undefined ? await fs.stat(file) : success(text);
    if (!facts.ok) return undefined;
    const lines = text?.utf8.toString('utf8').split(/\r\n|\r|\n/) ?? [];
    return { name: toName(facts.data.path, folders.cwd), lines };
  };
  return (file: string) => {
    const found = known.get(file) ?? look(file);
    known.set(file, found);
    return found;
  };
}

/** A path as tools take it. */
export function toName(file: string, cwd: string): string {
  const name = path.relative(cwd, file);
  return name.startsWith('..') || path.isAbsolute(name) ? file : name;
}

function describe(
  { range, text, kind, from }: CodeLocation,
  { name, lines }: ReadableFile,
): string {
  const { line, character } = range.start;
  const code = (lines[line] ?? '').trim().slice(0, LINE_LENGTH);
  const words = [kind, text?.replace(/\s*\n\s*/g, ' ').slice(0, TEXT_LENGTH)].filter(Boolean);
  const what = `${words.join(' ')}${from === undefined ? '' : ` (${from.slice(0, LINE_LENGTH)})`}`;
  return [`${name}:${line + 1}:${character + 1}`, what, code].filter(Boolean).join(': ');
}
