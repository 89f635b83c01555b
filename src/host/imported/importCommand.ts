import {
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { withLockFile } from '../../base/disk/lockFile.ts';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { getCode } from '../../base/faults.ts';
import { toVisibleLine } from '../../base/text/visibleText.ts';
import { reportLines } from '../../base/tools/importReport.ts';
import { addRules } from '../../settings/ruleStore.ts';
import type { Command, CommandIo } from '../command.ts';
import { openAcceptances, ruleHash } from '../config/acceptance.ts';
import { acceptedFile, userSettingsFile } from '../config/dataFolder.ts';
import { parseSettingsFile } from '../config/settingsFault.ts';
import { readSettingsFiles, workspaceSettingsFile } from '../config/settingsFiles.ts';
import { importRules } from './importRules.ts';
import { type ImportedRule, toExisting } from './settle.ts';
import { findLocations } from './sourceFiles.ts';

export const USAGE = `usage: gatehouse rules import [--write] [--workspace DIR]

Shows which rules of Claude Code, VS Code, Copilot CLI, OpenCode and Cline can be
imported, and which are tightened or left out, and why. Nothing is written without
--write.
  --write            save the rules: those of the user in the user settings, those of
                     the workspace in its .vscode/settings.json, and accept these
  --workspace DIR    the workspace whose settings are read too; default: the current
                     folder

exit: 0 shown or saved, 1 a file can't be read or written, 2 wrong usage
`;

/** `gatehouse rules import`: shows or saves the rules of other products. */
export const run: Command = async (io) => {
  const options = parseArguments(io);
  if (typeof options === 'string') {
    io.stderr.write(`gatehouse rules: ${options}\n${USAGE}`);
    return 2;
  }
  const { write, workspace } = options;
  const { env } = io;
  const acceptances = openAcceptances(acceptedFile(env));
  const userFile = userSettingsFile(env);
  const existing = readSettingsFiles(userFile, workspace).rules;
  const found = importRules(findLocations(env, workspace), existing.flatMap(toExisting));
  for (const line of reportLines(found)) writeLine(io, line);
  const isRead = found.files.every(({ problem }) => problem === undefined);
  if (!write || found.rules.length === 0) return isRead ? 0 : 1;
  const files = { user: userFile, workspace: workspaceSettingsFile(workspace) };
  writeLine(io, '');
  for (const destination of ['user', 'workspace'] as const) {
    const rules = found.rules.filter((rule) => rule.destination === destination);
    if (rules.length === 0) continue;
    const file = files[destination];
    // Windows of the editor may save rules to it at the same time.
    await withLockFile(file, async () => save(file, rules));
    // Saving them is the consent that rules of a workspace need.
    if (destination === 'workspace') {
      for (const rule of rules) acceptances.accept(files.workspace, ruleHash(rule), true);
    }
    writeLine(io, `saved ${rules.length} to ${files[destination]}`);
  }
  return isRead ? 0 : 1;
};

interface Options {
  readonly write: boolean;
  readonly workspace: string;
}

function parseArguments({ args, cwd }: CommandIo): Options | string {
  const [verb, ...words] = args;
  if (verb !== 'import') return verb === undefined ? 'no command given' : `unknown command ${verb}`;
  let write = false;
  let workspace = cwd;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--write') write = true;
    else if (word === '--workspace' || word.startsWith('--workspace=')) {
      const named = word === '--workspace' ? words[++at] : word.slice('--workspace='.length);
      workspace = path.resolve(cwd, named ?? '');
      if (!named || !isFolder(workspace)) return `--workspace: no folder "${named ?? ''}"`;
    } else return `unknown option ${word}`;
  }
  return { write, workspace };
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Keeps comments and layout, and the file if anything fails. Throws with the reason. */
function save(file: string, rules: readonly ImportedRule[]): void {
  const read = readRegularText(file);
  if (read.state === 'unreadable') throw new Error(`${file} can't be read: ${read.why}.`);
  const { fault } = parseSettingsFile(read);
  if (fault !== undefined)
    throw new Error(`${file} was not changed: ${fault.why} Fix the file and try again.`);
  const plain = rules.map(({ permission, pattern, action }) => ({ permission, pattern, action }));
  // The text without its byte order mark would be another file.
  const text = addRules(read.state === 'read' ? read.bytes.toString() : '', plain);
  mkdirSync(path.dirname(file), { recursive: true });
  // A settings file may be a link to where the user keeps it.
  const target = existsSync(file) ? realpathSync(file) : file;
  const next = `${target}.${process.pid}.new`;
  const mode = existsSync(target) ? statSync(target).mode : 0o600;
  try {
    // A link in its place is not followed.
    writeFileSync(next, text, { mode, flag: 'wx' });
    renameSync(next, target);
  } catch (error) {
    if (getCode(error) !== 'EEXIST') rmSync(next, { force: true });
    throw error;
  }
}

function writeLine({ stdout }: CommandIo, line: string): void {
  stdout.write(`${toVisibleLine(line)}\n`);
}
