import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../../src/base/event.ts';
import { REPLACED_MS, untilClosed } from '../../../../src/extension/declared/untilClosed.ts';
import { FakeClock, settle } from '../fakeClock.ts';

interface Change {
  readonly opened?: readonly string[];
  readonly closed?: readonly string[];
}

/** Watches the document "it", and says what its end was. */
function watch() {
  const clock = new FakeClock();
  const changed = new Emitter<Required<Change>>();
  let ended: boolean | undefined;
  void untilClosed({
    ...{ clock, onDidChangeTabs: changed.event, isIt: (tab: string) => tab === 'it' },
  }).then((goesOn) => (ended = goesOn));
  return {
    clock,
    tell: ({ opened = [], closed = [] }: Change) => changed.fire({ opened, closed }),
    async after(ms: number) {
      clock.tick(ms);
      await settle();
      return ended;
    },
  };
}

test('a document that the user closes is closed after the time in which another one may come', async () => {
  const { tell, after } = watch();
  tell({ opened: ['it'] });
  assert.equal(await after(10 * REPLACED_MS), undefined);
  tell({ closed: ['it'] });
  assert.equal(await after(REPLACED_MS - 1), undefined);
  assert.equal(await after(1), true);
});

test('a document whose place another one takes was not closed to go on, whenever that is told', async () => {
  const late = watch();
  late.tell({ closed: ['it'] });
  late.clock.tick(REPLACED_MS - 1);
  late.tell({ opened: ['other'] });
  assert.equal(await late.after(1), false);
  const before = watch();
  before.tell({ opened: ['other'] });
  before.tell({ closed: ['it'] });
  assert.equal(await before.after(REPLACED_MS), false);
});

test('other documents that are closed end nothing, and one end is told once', async () => {
  const { clock, tell, after } = watch();
  tell({ closed: ['other'] });
  assert.equal(clock.asked, 0);
  tell({ closed: ['it'] });
  tell({ closed: ['it'] });
  assert.equal(clock.asked, 1);
  assert.equal(await after(REPLACED_MS), true);
});
