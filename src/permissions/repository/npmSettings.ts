import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { readRegular } from '../../base/disk/readRegular.ts';
import { type LinkCache, realFolder } from '../patterns/paths.ts';

/** More than any settings file that a person writes, in bytes. */
const LIMIT = 1024 * 1024;

/**
 * The files with settings of a project that npm may read in a folder, also before it prints its version: those of
 * the folder and above it, without the user's own.
 */
export function listNpmSettings(folder: string, links?: LinkCache): readonly string[] {
  const found: string[] = [];
  for (let at = realFolder(folder, process.platform, links); ; at = path.dirname(at)) {
    const file = path.join(at, '.npmrc');
    if (at !== homedir() && mayExist(file)) found.push(file);
    if (path.dirname(at) === at) return found;
  }
}

function mayExist(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // No permission, or a part of the path isn't a folder.
    return true;
  }
}

/** Whether npm may read or write further files because of these settings, or they can't be read. */
export function leadsNpmElsewhere(file: string): boolean {
  const read = readRegular(file, LIMIT);
  if (read.state === 'absent') return false;
  return read.state === 'unreadable' || mayNameFiles(read.bytes.toString('utf8'));
}

/**
 * Settings that name a file which npm reads, and of which it prints unknown lines (`globalconfig`), or a folder that it
 * writes its logs to.
 */
const NAMES = /config$|^(?:cache|prefix|tmp)$|^logs-/i;
/** A setting whose name means what is written. */
const PLAIN = /^([\w@:/.%+~-]+?)(?:\[\])?\s*(?:=|$)/;

/** Whether the text of `.npmrc` names files, or can't be understood. */
export function mayNameFiles(text: string): boolean {
  return text
    .replace(/^\uFEFF/, '')
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[;#]/.test(line))
    .some((line) => NAMES.test(PLAIN.exec(line)?.[1] ?? 'config'));
}
