import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { forkSession } from '../../../../src/recorder/library/forkSession.ts';
import { importSession } from '../../../../src/recorder/library/importSession.ts';
import { removeSession } from '../../../../src/recorder/library/removeSession.ts';
import { rewind, unrewind } from '../../../../src/recorder/library/rewind.ts';
import { openRecorder, type Recorder } from '../../../../src/recorder/recorder.ts';
import { createRandom } from '../../random.ts';

/** The turns of the session that is rewound, forked, exported and imported. */
export const TURNS = 150;

async function work(file: string, seed: number): Promise<never> {
  const random = createRandom(seed);
  const recorder = openRecorder(file);
  const { store } = recorder;
  const base = findBase(recorder) ?? fill(recorder);
  const exported = `${file}.export`;
  if (!existsSync(exported)) writeFileSync(exported, recorder.exportJsonl(base));
  const prompts = recorder.messages(base).filter(({ role }) => role === 'user');
  const say = (text: string) => writeSync(1, `${text}\n`);
  say('ready');
  const others = listAll(recorder).filter((id) => id !== base);
  for (;;) {
    switch (others.length > MOST ? 3 : random(others.length > 2 ? 4 : 3)) {
      case 0: {
        say('begin rewind');
        rewind(store, base, prompts[1 + random(prompts.length - 1)]?.id);
        if (random(2) === 0) unrewind(store, base);
        say(`done rewind ${base}`);
        break;
      }
      case 1: {
        say('begin import');
        others.push(expect(await importSession(store, { file: exported })));
        say(`done import ${others.at(-1)}`);
        break;
      }
      case 2: {
        say('begin fork');
        // From an earlier message on, a rewind may have left nothing.
        others.push(expect(await forkSession(store, base)));
        say(`done fork ${others.at(-1)}`);
        break;
      }
      default: {
        const id = others.splice(random(others.length), 1)[0] ?? '';
        say(`begin delete ${id}`);
        expect(await removeSession(store, id));
        say(`done delete ${id}`);
      }
    }
  }
}

function expect<Value>(outcome: { ok: true; data: Value } | { ok: false; error: string }): Value {
  if (!outcome.ok) throw new Error(outcome.error);
  return outcome.data;
}

/** More copies would only make each check slower. */
const MOST = 8;

function listAll(recorder: Recorder): readonly string[] {
  return recorder.listSessions({ limit: 10_000 }).sessions.map(({ id }) => id);
}

/** The oldest session: all others are copies of it. */
export function findBase(recorder: Recorder): string | undefined {
  return listAll(recorder).toSorted()[0];
}

function fill(recorder: Recorder): string {
  return recorder.together(() => {
    const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/work' });
    for (let turn = 0; turn < TURNS; turn++) {
      recorder.addUserMessage(id, [{ type: 'text', text: `ask ${turn}` }]);
      const opened = recorder.openTurn(id);
      if (!opened.ok) throw new Error(opened.error);
      const { data: record } = opened;
      const call = { toolCallId: `call-${turn}`, toolName: 'bash' };
      const output = {
        type: 'output',
        data: 'x'.repeat(2_000),
        metadata: { duration_ms: 1 },
      } as const;
      record.record({ type: 'tool-input-available', ...call, input: { command: 'ls' } });
      record.record({ type: 'tool-output-available', toolCallId: call.toolCallId, output });
      record.record({ type: 'finish', finishReason: 'stop' });
      record.close();
    }
    return id;
  });
}

/**
 * `node libraryWriter.ts FILE SEED`: rewinds, forks, imports and deletes sessions until it is killed, and
 * says on stdout, synchronously, what begins (`begin WORK`) and what is done (`done WORK ID`).
 */
if (import.meta.main) await work(process.argv[2] ?? '', Number(process.argv[3]));
