import { toCodeSpan } from '../../../base/codeSpan.ts';
import { leadsOverLink } from '../../disk/enterFolder.ts';
import { type Act, type CommandAct, ELSEWHERE, type FileAct } from '../acts.ts';

/**
 * Why a path of the line can't be resolved in advance: it goes through a link that the same line
 * creates, as in `ln -s / x; echo y > x/etc/z`, or that lies in a folder which the line moves or copies.
 * Undefined if none does.
 */
export function findOwnLink(acts: readonly Act[]): string | undefined {
  const carries: Carry[] = [];
  const budget = { left: LOOKS };
  const files = new Map<string, FileAct>();
  for (const [at, act] of acts.entries()) {
    if (act.kind === 'file') files.set(act.target, act);
    if (act.kind !== 'command' || act.tightensOnly === true) continue;
    const carry = toCarry(act, files, carries);
    if (carry !== undefined) carries.push(carry);
    const operands = carry?.operands ?? new Set(act.words.slice(1).map(({ value }) => value));
    const created = makesLink(act) ? new Set(toNames([...operands])) : undefined;
    if (carry === undefined && created === undefined) continue;
    if (carries.length > CARRIES)
      return 'The command moves or copies too often to follow the links.';
    const goesThrough = (path: string) =>
      (created !== undefined && splitPath(path).some((name) => created.has(name))) ||
      (carry !== undefined && isCarriedLink(path, carry, budget));
    const through = acts.find(
      (each, index) =>
        each.kind === 'file' &&
        // The operands of the linking command itself precede the link.
        (index > at || each.role === 'redirection' || !operands.has(each.target)) &&
        listPaths(each).some(goesThrough),
    );
    if (through?.kind !== 'file') continue;
    const does = created === undefined ? 'may move or copy' : 'creates';
    return `${toCodeSpan(through.target)} goes through a link that the same command ${does}.`;
  }
  return undefined;
}

/** How many names are looked up for a line. Behind that, each may be a link. */
const LOOKS = 10_000;
/** How many of its commands may carry folders. */
const CARRIES = 100;

function makesLink({ words }: CommandAct): boolean {
  const name = toBase(words[0]?.value ?? '');
  if (name === 'ln' || name === 'gln' || name === 'link') return true;
  return name === 'cp' && words.some(({ value }) => /^(-[a-zA-Z]*s|--sym\w*)/.test(value));
}

/** A command that moves or copies folders with the links in them. */
interface Carry {
  readonly operands: ReadonlySet<string>;
  /** The absolute paths of what is taken; undefined: one of them isn't known, or isn't there yet. */
  readonly sources: readonly string[] | undefined;
  /** What is taken, and where it goes, have these names. */
  readonly names: ReadonlySet<string>;
  /** What lies in a source goes into a folder that has no name in the line: `cp -r a/. .`. */
  readonly spreads: boolean;
}

/** The carrying command, given the files before it, among which are its operands. */
function toCarry(
  act: CommandAct,
  files: ReadonlyMap<string, FileAct>,
  earlier: readonly Carry[],
): Carry | undefined {
  const words = (act.inFolder ?? act).words.map(({ value }) => value);
  const args = words.slice(words[0] === 'git' ? words.indexOf('mv') + 1 : 1);
  if (!mayCarry(toBase(words[0] ?? ''), words.slice(1))) return undefined;
  const operands = args.filter((value) => !/^-./.test(value));
  const attached = args.flatMap((value) => /^-[^=]*=(.+)$/.exec(value)?.[1] ?? []);
  const into = args.some((value) => /^-[a-zA-Z]*t|^--t/.test(value));
  const taken = into ? operands : operands.slice(0, -1);
  const paths = taken.flatMap((operand) => findPaths(operand, files));
  const known = taken.every((operand) => findPaths(operand, files).length > 0);
  const late = paths.some((path) => earlier.some((each) => hasName(path, each)));
  const goal = into ? '.' : (operands.at(-1) ?? '');
  const whole = args.some((value) => /^-[a-zA-Z]*T|^--no-target/.test(value));
  const opens = taken.some((value) => toNames([value]).length === 0 || value.endsWith('/'));
  return {
    operands: new Set(operands),
    sources: known && !late ? paths : undefined,
    names: new Set(toNames([...operands, ...attached])),
    spreads: (whole || opens) && toNames([goal]).length === 0,
  };
}

/** Whether the program moves folders, or copies links as links. */
function mayCarry(name: string, args: readonly string[]): boolean {
  if (name === 'git') return args.find((value) => !value.startsWith('-')) === 'mv';
  if (name === 'cp' || name === 'gcp')
    return args.some((value) => /^-[a-zA-Z]*[RrPad]|^--(?:r|ar|no-d|pre)/.test(value));
  return /^(?:g?mv|rsync|pax|ditto|rename|mmv)$/.test(name);
}

/** Where the operand lies, by the acts of the command that has it. Empty: the folder isn't known. */
function findPaths(operand: string, files: ReadonlyMap<string, FileAct>): readonly string[] {
  const own = files.get(operand);
  return own === undefined || own.folders.includes(ELSEWHERE) ? [] : listPaths(own);
}

/** Whether the path may be that of a link, or lead over one, once the folders are carried. */
function isCarriedLink(path: string, carry: Carry, budget: { left: number }): boolean {
  const parts = splitPath(path);
  return parts.some((name, at) => {
    if (!carry.names.has(name) && !carry.spreads) return false;
    const { sources } = carry;
    if (sources === undefined) return true;
    const below = [parts.slice(at + 1), ...(carry.spreads ? [parts.slice(at)] : [])];
    return sources.some((source) =>
      below.some((names) => {
        budget.left -= names.length + 1;
        return budget.left < 0 || leadsOverLink(source, names);
      }),
    );
  });
}

function hasName(path: string, { names, spreads }: Carry): boolean {
  return spreads || splitPath(path).some((name) => names.has(name));
}

/** The paths that the file may have, relative ones where the folder isn't known. */
function listPaths({ target, folders }: FileAct): readonly string[] {
  if (target.startsWith('/')) return [target];
  return folders.map((folder) => (folder === ELSEWHERE ? target : `${folder}/${target}`));
}

function splitPath(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

function toNames(operands: readonly string[]): readonly string[] {
  return operands.map(toBase).filter((name) => !/^(-.*|\.*)$/.test(name));
}

function toBase(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}
