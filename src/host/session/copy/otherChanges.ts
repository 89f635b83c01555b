import { lstatSync, readlinkSync } from 'node:fs';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { readRegular } from '../../../base/disk/readRegular.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { KB, MB } from '../../../base/units.ts';
import { readProc } from '../../../runtime/commands/procFiles.ts';
import type { EntryChange } from '../../../runtime/entries.ts';
import { toEntryState } from '../../../runtime/local/entries.ts';
import type { CopyChange } from '../../../runtime/sandbox/changes/changes.ts';

import {
  describeSpan,
  type EncodedText,
  MOST_ENCODED_BYTES,
  readEncodedText,
  toShownSpan,
} from './encodedText.ts';

/** A change that is no difference of texts: of a binary file, a link, a folder or a mode. */
export interface OtherChange {
  readonly entry: EntryChange;
  /** Its path in the workspace folder. */
  readonly name: string;
  /** One line for the user. */
  readonly shown: string;
  /** It belongs to a change of text in the same review, and is made only together with it. */
  readonly withText?: true;
  /** The mode of a new folder that is created together with its files. Without them there is no folder to change. */
  readonly withContent?: true;
}

/** A file before and after, as far as it existed: nothing but its bytes, and maybe its mode, changed. */
export function isFileOfBytes({ type, kind, was = kind }: CopyChange): boolean {
  return type !== 'mode' && kind === 'file' && was === 'file';
}

/** Fails with the reason when the change can't be made by itself. At most `mostBytes` of a file are read. */
export function toOtherChange(change: CopyChange, mostBytes: number): Outcome<OtherChange> {
  const { type, kind, was, path } = change;
  const name = toCodeSpan(path);
  if (kind === 'special' || was === 'special')
    return failure(`It changes the special file ${name}.`);
  const replacesFolder = type === 'changed' && (kind === 'folder' || was === 'folder');
  if (replacesFolder) return failure(`It replaces the folder ${name}, or makes one of a file.`);
  if (was === 'link' && kind === 'file' && type !== 'deleted') {
    return failure(`It replaces the link ${name} with a file.`);
  }
  const file = change.file.toString('utf8');
  const stats = lstatSync(file, { throwIfNoEntry: false });
  // What appeared meanwhile is a conflict.
  const before = type === 'added' ? undefined : toEntryState(stats);
  const make = (after: EntryChange['after'], what: string): Outcome<OtherChange> =>
    success({ entry: { path: file, before, after }, name: path, shown: `${name}: ${what}` });

  if (type === 'mode') {
    const made = make({ type: 'mode', mode: change.mode ?? 0 }, toModes(change));
    return made.ok ? success({ ...made.data, entry: withMode(made.data.entry, change) }) : made;
  }
  if (type === 'deleted') {
    const what = { folder: 'deleted folder', link: `deleted link to ${readTarget(file)}` } as const;
    if (kind === 'folder' || kind === 'link') return make({ type: 'none' }, what[kind]);
    const text = readText(file);
    const size = toSize(stats?.size ?? 0);
    if (text === undefined) return make({ type: 'none' }, `deleted binary file, ${size}`);
    return make({ type: 'none' }, `deleted ${text.what}, ${size}${toContent(text)}`);
  }
  if (kind === 'folder') {
    const what = changesMode(change) ? `new folder, ${toModes(change)}` : 'new folder';
    return make({ type: 'folder', mode: change.mode ?? 0o755 }, what);
  }
  if (kind === 'link') {
    const target = change.target ?? '';
    const what = was === undefined ? 'new link to' : `the ${was} becomes a link to`;
    return make({ type: 'link', target }, `${what} ${toCodeSpan(target)}`);
  }
  return toBytes(change, make, mostBytes, stats?.size);
}

function toBytes(
  change: CopyChange,
  make: (after: EntryChange['after'], what: string) => Outcome<OtherChange>,
  mostBytes: number,
  before: number | undefined,
): Outcome<OtherChange> {
  const name = toCodeSpan(change.path);
  const now = readRegular(change.copy.toString('utf8'), mostBytes);
  if (now.state !== 'read') return failure(`It writes the large file ${name}.`);
  const own = before === undefined ? undefined : readText(change.file.toString('utf8'));
  const what = describeBytes({ before, own }, now.bytes);
  const setsMode = changesMode(change);
  const made = make(
    { type: 'file', content: now.bytes, ...(setsMode && { mode: change.mode ?? 0o644 }) },
    setsMode ? `${what}, ${toModes(change)}` : what,
  );
  if (!made.ok || before === undefined) return made;
  const read = readRegular(change.file.toString('utf8'), mostBytes);
  if (read.state !== 'read') return failure(`It changes the large file ${name}.`);
  return success({ ...made.data, entry: { ...made.data.entry, bytes: read.bytes } });
}

/** A text that is not plain UTF-8 shows its content; a binary file its size. */
function describeBytes(
  { before, own }: { readonly before: number | undefined; readonly own: EncodedText | undefined },
  bytes: Buffer,
): string {
  const now = readEncodedText(bytes);
  const size = toSize(bytes.length);
  if (before === undefined) {
    return now ? `new ${now.what}, ${size}${toContent(now)}` : `new binary file, ${size}`;
  }
  const sizes = `${toSize(before)} → ${size}`;
  if (now === undefined || own === undefined) return `binary, ${sizes}`;
  const kinds = now.what === own.what ? now.what : `${own.what} → ${now.what}`;
  return `${kinds}, ${sizes}: ${describeSpan(own, now)}`;
}

function toContent({ shown }: EncodedText): string {
  return shown === '' ? '' : `: ${toShownSpan(shown)}`;
}

function readText(file: string): EncodedText | undefined {
  const read = readRegular(file, MOST_ENCODED_BYTES);
  return read.state === 'read' ? readEncodedText(read.bytes) : undefined;
}

/** The change of its mode that a change of text brings along. */
export function toModeChange(change: CopyChange): OtherChange | undefined {
  if (change.type === 'deleted' || !changesMode(change)) return undefined;
  const entry: EntryChange = {
    path: change.file.toString('utf8'),
    before: 'file',
    after: { type: 'mode', mode: change.mode ?? 0o644 },
  };
  return {
    entry: withMode(entry, change),
    name: change.path,
    shown: `${toCodeSpan(change.path)}: ${toModes(change)}`,
    withText: true,
  };
}

/** The review shows both modes, so the change is not made where somebody has set another one since. */
function withMode(entry: EntryChange, { wasMode }: CopyChange): EntryChange {
  return { ...entry, ...(wasMode !== undefined && { wasMode }) };
}

/** An unusual mode of a new folder that is created together with its files. */
export function toFolderMode(change: CopyChange): OtherChange | undefined {
  if (!changesMode(change)) return undefined;
  return {
    entry: {
      path: change.file.toString('utf8'),
      before: 'folder',
      after: { type: 'mode', mode: change.mode ?? 0o755 },
    },
    name: change.path,
    shown: `${toCodeSpan(change.path)}: new folder, ${toModes(change)}`,
    withContent: true,
  };
}

/** What is new has the usual mode by itself: anything else is a change, such as a file that only its owner reads. */
export function changesMode({ type, kind, mode, wasMode }: CopyChange): boolean {
  if (type !== 'added' || mode === undefined) return mode !== wasMode;
  const usual = (kind === 'folder' ? 0o755 : 0o644) & ~readMask();
  const added = kind === 'folder' ? SPECIAL : EXECUTES | SPECIAL;
  return (mode & added) !== 0 || (mode & usual) !== usual;
}

const EXECUTES = 0o111;
/** The bits beyond the permissions. */
const SPECIAL = 0o7000;

/** The permissions that new files of this host don't have. */
function readMask(): number {
  const written = /^Umask:\s*([0-7]+)$/m.exec(readProc('self/status'))?.[1];
  return Number.parseInt(written ?? '022', 8);
}

function toModes({ kind, mode = 0, wasMode }: CopyChange): string {
  const after = mode.toString(8).padStart(3, '0');
  if (wasMode !== undefined) return `mode ${wasMode.toString(8).padStart(3, '0')} → ${after}`;
  return `mode ${after}${kind === 'file' && (mode & EXECUTES) !== 0 ? ' (executable)' : ''}`;
}

function readTarget(file: string): string {
  try {
    return toCodeSpan(readlinkSync(file));
  } catch {
    return 'nowhere';
  }
}

function toSize(bytes: number): string {
  if (bytes < KB) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return bytes < MB ? `${Math.round(bytes / KB)} KB` : `${(bytes / MB).toFixed(1)} MB`;
}
