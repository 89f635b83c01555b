import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeOf } from '../../workbench/sizes.ts';
import { liveThroughDay } from './simulatedDay.ts';

/** `npm run test:day` has the long form: a day of eight hours. */
const TURNS = sizeOf(40, 2_000);
const RESTARTS = sizeOf(4, 200);
const HOURS = 8;
const MB = 1024 * 1024;

test(`a day of ${TURNS} turns, ${RESTARTS} restarts and two windows loses nothing, and keeps memory and handles flat`, async (t) => {
  const report = await liveThroughDay(t, { turns: TURNS, restarts: RESTARTS }, 1619);
  assert.deepEqual(report.faults, []);
  assert.ok(report.most < 300 * MB, `${report.most / MB} MB`);
  const [early = 0, late = 0] = [report.handles[4], report.handles.at(-1)];
  assert.ok(late <= early + 3, `handles: ${report.handles.join(', ')}`);
  const slope = toSlope(report.memory) / MB;
  t.diagnostic(`memory after each tenth: ${report.memory.map((each) => Math.round(each / MB))} MB`);
  t.diagnostic(`handles after each tenth: ${report.handles.join(', ')}`);
  t.diagnostic(`slope of the second half: ${slope.toFixed(2)} MB an hour`);
  // In the short form the process is still warming up.
  if (TURNS >= 2_000) assert.ok(slope < 1, `${slope.toFixed(2)} MB an hour`);
});

/** How fast the second half of the samples grows, in bytes an hour: the slope of the straight line (least squares). */
function toSlope(samples: readonly number[]): number {
  const half = samples.slice(samples.length / 2);
  const hours = half.map((_, at) => (at * HOURS) / samples.length);
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(hours), mean(half)];
  const covariance = half.reduce((sum, value, at) => sum + (value - y) * ((hours[at] ?? 0) - x), 0);
  return covariance / hours.reduce((sum, hour) => sum + (hour - x) ** 2, 0);
}
