import { writeSync } from 'node:fs';
import { clearSessions, planClear } from '../../../../src/recorder/library/clearSessions.ts';
import { openRecorder, type Recorder } from '../../../../src/recorder/recorder.ts';

/** Adds sessions with one message each, `hello ID`. */
export function addSessions(recorder: Recorder, count: number, cwd = '/a'): readonly string[] {
  return recorder.together(() =>
    Array.from({ length: count }, () => {
      const { id } = recorder.createSession({ agent: 'gatehouse', cwd });
      recorder.addUserMessage(id, [{ type: 'text', text: `hello ${id}` }]);
      return id;
    }),
  );
}

/** How many rows there are. */
export function countRows({ store }: Recorder) {
  const count = (table: string) =>
    Number(store.database.get(`SELECT count(*) AS n FROM ${table}`)?.['n']);
  return {
    ...{ sessions: count('chat_sessions'), messages: count('chat_messages') },
    ...{ parts: count('chat_parts'), writers: count('chat_writers') },
  };
}

/** `node manySessions.ts FILE`: deletes all sessions, and says on stdout after each batch that it did. */
if (import.meta.main) {
  const { store } = openRecorder(process.argv[2] ?? '');
  const plan = await planClear(store, {});
  await clearSessions(store, plan, { removed: () => writeSync(1, 'batch\n') });
}
