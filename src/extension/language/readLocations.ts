import { fieldAt } from '../../base/json.ts';
import type { CodeLocation, CodePosition, CodeRange } from '../../base/tools/languageQuery.ts';
import type { Problem } from '../context/problems.ts';

// What providers of other extensions return is not trusted to have its declared shape.

/** The locations of `Location`s and `LocationLink`s on disk. Undefined: there was no answer. */
export function readDefinitions(found: unknown): readonly CodeLocation[] | undefined {
  if (!Array.isArray(found)) return undefined;
  return found.flatMap((each) => {
    const uri = fieldAt(each, 'targetUri') ?? fieldAt(each, 'uri');
    const range =
      fieldAt(each, 'targetSelectionRange') ??
      fieldAt(each, 'targetRange') ??
      fieldAt(each, 'range');
    return toLocation(readPath(uri), range);
  });
}

/** `DocumentSymbol`s of the file `path` and `SymbolInformation`s. */
export function readSymbols(found: unknown, path: string): readonly CodeLocation[] | undefined {
  if (!Array.isArray(found)) return undefined;
  return found.flatMap((each) => readSymbol(each, path, 0, undefined));
}

/** Deeper than any code. */
const DEEPEST = 20;

function readSymbol(
  symbol: unknown,
  path: string,
  depth: number,
  parent: string | undefined,
): readonly CodeLocation[] {
  const name = String(fieldAt(symbol, 'name') ?? '');
  const given = fieldAt(symbol, 'location');
  const range = fieldAt(given, 'range') ?? fieldAt(symbol, 'selectionRange');
  const container = fieldAt(symbol, 'containerName') ?? parent;
  const kind = SYMBOL_KINDS[Number(fieldAt(symbol, 'kind'))];
  const found = toLocation(given === undefined ? path : readPath(fieldAt(given, 'uri')), range);
  const own = found.map((each) => ({
    ...{ ...each, text: name },
    ...(kind !== undefined && { kind }),
    ...(typeof container === 'string' && container !== '' && { from: container }),
  }));
  const children = fieldAt(symbol, 'children');
  const below = Array.isArray(children) && depth < DEEPEST ? children : [];
  return [...own, ...below.flatMap((each) => readSymbol(each, path, depth + 1, name))];
}

/** In the order of VS Code's `SymbolKind`. */
const SYMBOL_KINDS =
  'file module namespace package class method property field constructor enum interface function variable constant string number boolean array object key null enum-member struct event operator type-parameter'.split(
    ' ',
  );

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;

/** Problems, errors first. */
export function readProblems(
  files: readonly (readonly [path: string, problems: readonly Problem[]])[],
): readonly CodeLocation[] {
  const all = files.flatMap(([path, problems]) => problems.map((problem) => ({ path, problem })));
  return all
    .toSorted((a, b) => a.problem.severity - b.problem.severity)
    .flatMap(({ path, problem }) =>
      toLocation(path, problem.range).map((location) => ({
        ...{ ...location, text: problem.message },
        kind: SEVERITIES[problem.severity] ?? 'problem',
        ...(problem.source !== undefined && { from: problem.source }),
      })),
    );
}

function toLocation(path: string | undefined, range: unknown): readonly CodeLocation[] {
  const read = readRange(range);
  return path === undefined || path === '' || read === undefined ? [] : [{ path, range: read }];
}

/** Only files on disk have a path. */
export function readPath(uri: unknown): string | undefined {
  const path = fieldAt(uri, 'fsPath');
  return fieldAt(uri, 'scheme') === 'file' && typeof path === 'string' ? path : undefined;
}

export function readRange(range: unknown): CodeRange | undefined {
  const start = readPosition(fieldAt(range, 'start'));
  const end = readPosition(fieldAt(range, 'end') ?? fieldAt(range, 'start'));
  return start && end && { start, end };
}

function readPosition(position: unknown): CodePosition | undefined {
  const [line, character] = [fieldAt(position, 'line'), fieldAt(position, 'character')];
  if (!Number.isInteger(line) || !Number.isInteger(character)) return undefined;
  return { line: Math.max(0, Number(line)), character: Math.max(0, Number(character)) };
}
