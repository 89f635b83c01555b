import path from 'node:path';
import { openSandboxBed } from './bed.ts';

/** Prints which descriptors of this process commands get, in a copy and confined. */
await using bed = await openSandboxBed();
const held = await bed.hold();
const live = { folder: path.join(bed.base, 'data/live'), workspace: [bed.workspace], masks: [] };
const line =
  'ls -l /proc/self/fd /proc/2/fd | grep secret; cat <&20; cat <&99; cat <&255; cat <&300; echo none';
const told: string[] = [];
for (const start of [held.start({ masks: [] }), bed.sandbox.live(live)]) {
  told.push((await bed.run(start, `{ ${line}; } 2>/dev/null`)).output);
}
held.release();
process.stdout.write(JSON.stringify(told));
