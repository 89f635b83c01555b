import type { SyntaxNode } from 'unbash';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { leadsOverLink } from '../../disk/enterFolder.ts';
import { type Act, type CommandAct, ELSEWHERE, type FileAct } from '../acts.ts';
import type { Walk } from '../walkState.ts';
import { listReadings } from '../wordPaths.ts';
import { joinWords } from '../words.ts';

/**
 * Why a path of the line can't be resolved in advance: it goes through a link that the same line
 * creates, as in `ln -s / x; echo y > x/etc/z`, or that lies in a folder which the line moves or copies.
 * Undefined if none does.
 */
export function findOwnLink({
  acts,
  compound,
}: Pick<Walk, 'acts' | 'compound'>): string | undefined {
  const carries: Carry[] = [];
  const budget = { left: LOOKS };
  const brought = findBroughtLink(acts, compound);
  if (brought !== undefined) return brought;
  const files = new Map<string, FileAct>();
  for (const [at, act] of acts.entries()) {
    if (act.kind === 'file') files.set(act.target, act);
    if (act.kind !== 'command' || act.tightensOnly === true) continue;
    const carry = toCarry(act, files, carries);
    if (carry !== undefined) carries.push(carry);
    const operands = carry?.operands ?? new Set(act.words.slice(1).map(({ value }) => value));
    const created = makesLink(act) ? new Set(toNames([...operands])) : undefined;
    const kept = keepsBackup(act) ? toNames([...operands]) : [];
    if (carry === undefined && created === undefined && kept.length === 0) continue;
    if (carries.length > CARRIES)
      return 'The command moves or copies too often to follow the links.';
    const goesThrough = (path: string) =>
      (created !== undefined && splitPath(path).some((name) => created.has(name))) ||
      (carry !== undefined && isCarriedLink(path, carry, budget));
    // The command's own files precede it, its backups among them.
    const start = acts.slice(0, at).findLastIndex(({ kind }) => kind === 'command');
    const isBackup = (path: string) =>
      splitPath(path).some((name) => kept.some((own) => name !== own && name.startsWith(own)));
    const through = acts.find(
      (each, index) =>
        each.kind === 'file' &&
        // The operands of the linking command itself precede the link.
        (index > at || each.role === 'redirection' || !operands.has(each.target)) &&
        listPaths(each).some(
          (path) => goesThrough(path) || ((index > at || index < start) && isBackup(path)),
        ),
    );
    if (through?.kind !== 'file') continue;
    const does = created === undefined ? 'may move or copy' : 'creates';
    return `${toCodeSpan(through.target)} goes through a link that the same command ${does}.`;
  }
  return undefined;
}

/**
 * Why a path can't be resolved in advance: an archive, a patch or a clone that the line unpacks before
 * may put a link with any name below its folder. Folders that are swept wait for it anyway (`settled.ts`).
 */
function findBroughtLink(acts: readonly Act[], compound: boolean): string | undefined {
  const first = acts.findIndex((act) => act.kind === 'command' && unpacks(act));
  if (first < 0) return undefined;
  const by = acts[first];
  if (by?.kind !== 'command') return undefined;
  const own = new Set(by.words.map(({ value }) => value));
  const through = acts.find(
    (act, index) =>
      isFollowed(act) &&
      // In a loop, or in the background, what is written before may run later.
      (index > first || (compound && !own.has(act.target))) &&
      !isOnlyRemoved(act, acts, index),
  );
  if (through?.kind !== 'file') return undefined;
  return `${toCodeSpan(through.target)} may go through a link that ${toCodeSpan(joinWords(by.words), 40)} brings.`;
}

function unpacks({ words, inFolder, tightensOnly }: CommandAct): boolean {
  if (tightensOnly === true) return false;
  const [program = '', ...args] = (inFolder ?? { words }).words.map(({ value }) => value);
  const name = toBase(program);
  const reads = Object.hasOwn(UNPACKERS, name) ? UNPACKERS[name] : undefined;
  return reads?.test(args.join(' ')) === true;
}

const TAR = /^[a-zA-Z]*x|(?:^| )(?:-[a-zA-Z]*x|--(?:ex|ge))/;
/** The arguments with which these programs create files, and links, that no word names. */
const UNPACKERS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries('tar gtar bsdtar'.split(' ').map((name) => [name, TAR])),
  unzip: /^(?!.*(?:^| )-[a-zA-Z]*[lptvzZ])./,
  ...Object.fromEntries('7z 7za 7zr 7zz unrar rar'.split(' ').map((name) => [name, /^[xe]\b/i])),
  cpio: /(?:^| )(?:-[a-zA-Z]*[ip]|--(?:ex|pas))/,
  pax: /(?:^| )-[a-zA-Z]*r/,
  unar: /./,
  patch: /^(?!.*--dry)/,
  git: /^(?:(?:-[cC]|--[a-z-]+) \S+ |-\S+ )*(?:apply (?!.*--(?:stat|numstat|summary|check))|(?:am|clone|submodule (?:add|update))(?: |$))/,
};

/** Whether the path is opened, so that links count; devices lie outside every archive. */
function isFollowed(act: Act): act is FileAct {
  if (act.kind !== 'file' || act.role === 'named' || act.sweep !== undefined) return false;
  return act.past !== true && !act.target.startsWith('/dev/');
}

/** `rm a.tar` removes the link itself. */
function isOnlyRemoved(act: Act, acts: readonly Act[], index: number): boolean {
  if (act.kind !== 'file' || act.target.includes('/') || act.role === 'redirection') return false;
  const by = acts.slice(index).find((each) => each.kind === 'command');
  return by?.kind === 'command' && /^(?:rm|unlink)$/.test(toBase(by.words[0]?.value ?? ''));
}

/** Whether a part of a pipeline may copy, move or unpack files. */
export function carriesFiles(node: SyntaxNode): boolean {
  if (node.type !== 'Command') return true;
  const given = node.args.map(({ text }) => text);
  return [node.name?.text ?? '', ...given].some((word) => CARRIERS.test(word));
}

const CARRIERS =
  /^(?:.*\/)?(?:g?(?:cp|mv|ln|install|tar)|bsdtar|unzip|7z|cpio|pax|rsync|patch|git)$/;

/** How many names are looked up for a line. Behind that, each may be a link. */
const LOOKS = 10_000;
/** How many of its commands may carry folders. */
const CARRIES = 100;

function makesLink({ words }: CommandAct): boolean {
  const name = toBase(words[0]?.value ?? '');
  if (name === 'ln' || name === 'gln' || name === 'link') return true;
  return /^g?cp$/.test(name) && words.some(({ value }) => /^(-[a-zA-Z]*s|--sy\w*)/.test(value));
}

/** Whether what was there before, which may be a link, gets another name: `b~`, `b.~1~`, `b` and a suffix. */
function keepsBackup({ words }: CommandAct): boolean {
  const name = toBase(words[0]?.value ?? '');
  if (!/^g?(?:cp|mv|ln|install)$/.test(name)) return false;
  return words.some(({ value }) => /^(?:-[a-zA-Z]*[bS]|--(?:b|su))/.test(value));
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
  const readings = listReadings(target);
  return folders.flatMap((folder) =>
    readings.map((each) => (folder === ELSEWHERE ? each : `${folder}/${each}`)),
  );
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
