import path from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { toVisibleLine } from '../../../base/text/visibleText.ts';
import { exportLines, exportMarkdown } from '../../../recorder/library/exportSession.ts';
import { createSearchIndex } from '../../../recorder/library/search/searchIndex.ts';
import { readStoredState } from '../../../recorder/library/storedState.ts';
import type { StoredSession } from '../../../recorder/records.ts';
import type { Command, CommandIo } from '../../command.ts';
import {
  Failed,
  Misuse,
  type OpenHistory,
  parseWords,
  requireSession,
  withHistory,
} from './request.ts';

const PAGE = 200;
const MOST_HITS = 1000;

/** `gatehouse sessions list`. */
export const list: Command = async (io) => {
  const { values } = parseWords(
    io.args,
    { json: { type: 'boolean' }, archived: { type: 'boolean' }, cwd: { type: 'string' } },
    [0, 0],
  );
  const query = {
    ...{ limit: PAGE, archived: values.archived === true },
    ...(values.cwd === undefined ? {} : { cwd: path.resolve(io.cwd, values.cwd) }),
  };
  return withHistory(io, values['user-data'], (history) => {
    for (let cursor: string | undefined; ; ) {
      const page = history.recorder.listSessions({ ...query, ...(cursor && { cursor }) });
      for (const session of page.sessions) {
        const row = toRow(history, session);
        if (values.json === true) writeJson(io, row);
        else write(io, toLine(row));
      }
      cursor = page.nextCursor;
      if (cursor === undefined) return 0;
    }
  });
};

function toRow({ recorder }: OpenHistory, session: StoredSession) {
  const { id, title, cwd, pinned, archived, updatedAt } = session;
  const state = readStoredState(recorder.store, id);
  return { sessionId: id, title: title ?? null, cwd, state, pinned, archived, updatedAt };
}

function toLine({
  sessionId,
  title,
  cwd,
  state,
  pinned,
  archived,
  updatedAt,
}: ReturnType<typeof toRow>) {
  const marks = [state === 'idle' ? '' : state, pinned ? 'pinned' : '', archived ? 'archived' : '']
    .filter(Boolean)
    .map((mark) => ` [${mark}]`);
  return `${sessionId}  ${new Date(updatedAt).toISOString()}  ${title ?? 'Untitled'}${marks.join('')}  ${cwd}`;
}

/** `gatehouse sessions show`: as Markdown, or in the canonical form (spec CS-97). */
export const show: Command = async (io) => {
  const { positionals, values } = parseWords(io.args, { json: { type: 'boolean' } }, [1, 1]);
  const [sessionId = ''] = positionals;
  return withHistory(io, values['user-data'], (history) => {
    requireSession(history, sessionId);
    const { store } = history.recorder;
    if (values.json === true) {
      writeJson(io, toCanonical(exportLines(store, sessionId)));
      return 0;
    }
    for (const text of exportMarkdown(store, sessionId)) write(io, text.replace(/\n$/, ''));
    return 0;
  });
};

function toCanonical(lines: Iterable<string>) {
  const messages: { readonly message: unknown; readonly parts: unknown[] }[] = [];
  let session: unknown;
  for (const line of [...lines].join('').trimEnd().split('\n')) {
    const { type, data } = JSON.parse(line);
    if (type === 'session') session = data;
    else if (type === 'message') messages.push({ message: data, parts: [] });
    else messages.at(-1)?.parts.push(data);
  }
  return { session, messages };
}

/** `gatehouse sessions search`. */
export const search: Command = async (io) => {
  const { positionals, values } = parseWords(
    io.args,
    { json: { type: 'boolean' }, cwd: { type: 'string' }, limit: { type: 'string' } },
    [1, Number.POSITIVE_INFINITY],
  );
  const limit = Number(values.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_HITS) {
    throw new Misuse(`--limit must be an integer from 1 to ${MOST_HITS}.`);
  }
  return withHistory(io, values['user-data'], async ({ recorder, data }) => {
    const file = path.join(data.state, 'search.db');
    const options = { clock: systemClock, patienceMs: Number.POSITIVE_INFINITY };
    const index = createSearchIndex(recorder.store, file, options);
    try {
      const found = await index.search({
        ...{ query: positionals.join(' '), limit },
        ...(values.cwd === undefined ? {} : { cwd: path.resolve(io.cwd, values.cwd) }),
      });
      if (!found.ok) throw new Failed(found.error);
      for (const { title, ...hit } of found.data.hits) {
        const { sessionId, messageId, snippet } = hit;
        if (values.json === true) writeJson(io, { title: title ?? null, ...hit });
        else write(io, `${sessionId}  ${messageId}  ${title ?? 'Untitled'}: ${snippet}`);
      }
      return 0;
    } finally {
      index.close();
    }
  });
};

/** Output of programs must not reach the terminal as it is. */
function write({ stdout }: CommandIo, text: string): void {
  stdout.write(`${text.split('\n').map(toVisibleLine).join('\n')}\n`);
}

function writeJson({ stdout }: CommandIo, value: unknown): void {
  stdout.write(`${JSON.stringify(value)}\n`);
}
