import { readdirSync } from 'node:fs';
import path from 'node:path';
import { ReviewStorage } from '../../../../../src/extension/review/proposal/reviewStorage.ts';
import {
  ReviewStore,
  SAVE_DELAY,
} from '../../../../../src/extension/review/proposal/reviewStore.ts';
import { FakeClock } from '../../fakeClock.ts';

/**
 * Run with a limit on file sizes: types more than can be stored into a stored review, then less.
 * Prints what is stored after each.
 */
// Without a listener the signal ends the process before the write can fail.
process.on('SIGXFSZ' as NodeJS.Signals, () => undefined);
const folder = path.join(process.argv[2] ?? '', 'reviews');
const call = { sessionId: 'one', toolCallId: 'call-1' };
const change = { call, path: '/w/a', kind: 'edit', baseText: 'a\n', proposedText: 'b\n' } as const;
let errors = 0;

function open() {
  const clock = new FakeClock();
  const storage = new ReviewStorage(folder);
  const onError = () => {
    errors += 1;
  };
  return { clock, store: new ReviewStore({ storage, clock, onError }) };
}

const { store, clock } = open();
const [file] = await store.propose([change]);

async function type(text: string): Promise<string | undefined> {
  file?.edit(() => text);
  clock.tick(SAVE_DELAY);
  await store.settled();
  return (await open().store.find(call, '/w/a'))?.text;
}

await type('mine\n');
const text = await type('mine, and more\n'.repeat(4000));
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const files = names.flatMap((name) => path.extname(name).slice(1) || []).sort();
const later = await type('again\n');
console.log(JSON.stringify({ text, files, errors, later }));
