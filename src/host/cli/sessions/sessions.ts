import { toVisibleLine } from '../../../base/text/visibleText.ts';
import type { Command } from '../../command.ts';
import { deleteCommand } from './delete.ts';
import { list, search, show } from './inspect.ts';
import { replay } from './replay.ts';
import { Failed, Misuse, NotFound } from './request.ts';
import { exportCommand, importCommand } from './transfer.ts';

export const USAGE = `usage: gatehouse sessions VERB … [--user-data DIR]

  list [--cwd DIR] [--archived] [--json]
                   lists sessions: pinned ones first, then the newest
  show SESSION [--json]
                   prints a session as Markdown, or as one JSON document with all its rows
  search WORD… [--cwd DIR] [--limit N] [--json]
                   finds messages with all words, or words that begin so, the newest first
  export SESSION [--markdown] [--output FILE]
                   writes what is stored: JSON lines that can be imported, or Markdown to read
  import FILE [--cwd DIR] [--json]
                   imports JSON lines, and prints the session's id; rules and approvals are left out
  delete SESSION… | --all | --unused-days N [--cwd DIR] [--dry-run] [--json]
                   deletes sessions for good, with what they started and their logs of decisions. A session
                   stays while a turn runs in it or something in it waits for you; with --all and
                   --unused-days, pinned ones stay too. --dry-run only counts
  replay SESSION [BUNDLE]
                   prints what the session's calls returned, byte for byte, from the records alone: nothing
                   runs and nothing is sent. A tool that is gone is flagged. With BUNDLE, the folder of a
                   Runloop bundle, only the calls of its tools

  SESSION          the session's id: ses_…
  --cwd DIR        the folder of the sessions; for import, the folder that the session gets
  --json           one JSON document a line
  --user-data DIR  the host's data folder

exit: 0 done, 1 it failed, a tool is missing or the bundle has an error, 2 misuse
`;

const VERBS: Readonly<Record<string, Command>> = {
  ...{ list, show, search, replay },
  export: exportCommand,
  import: importCommand,
  delete: deleteCommand,
};

/** `gatehouse sessions …`. */
export const run: Command = async (io) => {
  const [verb = '', ...args] = io.args;
  const command = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  try {
    if (command === undefined)
      throw new Misuse(verb === '' ? 'a VERB is missing.' : `unknown verb "${verb}".`);
    return await command({ ...io, args });
  } catch (fault) {
    if (!(fault instanceof Misuse) && !(fault instanceof Failed)) throw fault;
    io.stderr.write(`gatehouse sessions: ${toVisibleLine(fault.message)}\n`);
    if (fault instanceof Failed) return 1;
    if (!(fault instanceof NotFound)) io.stderr.write(`\n${USAGE}`);
    return 2;
  }
};
