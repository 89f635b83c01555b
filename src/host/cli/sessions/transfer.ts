import path from 'node:path';
import { toVisibleLine } from '../../../base/text/visibleText.ts';
import { importSession } from '../../../recorder/library/importSession.ts';
import type { Command, CommandIo } from '../../command.ts';
import { toTexts, writeWhole } from '../../session/stored/transferSession.ts';
import { Failed, type OpenHistory, parseWords, requireSession, withHistory } from './request.ts';

/** `gatehouse sessions export`: to standard output, or to a file that only the user can read. */
export const exportCommand: Command = async (io) => {
  const { positionals, values } = parseWords(
    io.args,
    { markdown: { type: 'boolean' }, output: { type: 'string' } },
    [1, 1],
  );
  const [sessionId = ''] = positionals;
  const { output } = values;
  return withHistory(io, values['user-data'], async (history) => {
    requireSession(history, sessionId);
    const format = values.markdown === true ? 'markdown' : 'jsonl';
    const texts = toTexts(history.recorder.store, sessionId, format);
    if (output !== undefined) {
      const written = await writeWhole(path.resolve(io.cwd, output), texts);
      if (!written.ok) throw new Failed(written.error);
    } else writeTexts(io, texts);
    return 0;
  });
};

/** Reads no more once whoever reads it has left. */
function writeTexts({ stdout }: CommandIo, texts: Iterable<string>): void {
  for (const text of texts) {
    if (!stdout.writable) return;
    stdout.write(text);
  }
}

/** `gatehouse sessions import`: prints the id of the imported session. */
export const importCommand: Command = async (io) => {
  const options = { json: { type: 'boolean' }, cwd: { type: 'string' } } as const;
  const { positionals, values } = parseWords(io.args, options, [1, 1]);
  const [file = ''] = positionals;
  const work = async ({ recorder }: OpenHistory) => {
    const imported = await importSession(recorder.store, {
      file: path.resolve(io.cwd, file),
      ...(values.cwd === undefined ? {} : { cwd: path.resolve(io.cwd, values.cwd) }),
    });
    if (!imported.ok) throw new Failed(`Nothing was imported. ${imported.error}`);
    const sessionId = imported.data;
    io.stdout.write(
      values.json === true ? `${JSON.stringify({ sessionId })}\n` : `${toVisibleLine(sessionId)}\n`,
    );
    return 0;
  };
  // On a new machine, an import comes before the first prompt.
  return withHistory(io, values['user-data'], work, true);
};
