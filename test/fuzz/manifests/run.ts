import { explore } from './explore.ts';

/** The most memory. The command limits V8's heap, which otherwise grows as long as there is memory. */
const RESIDENT_MB = 300;

/** `npm run fuzz:manifests [manifests] [seed]`: a thousand of each dialect unless told otherwise. */
const runs = Number(process.argv[2] ?? 1000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
for (const dialect of ['agentcli', 'runloop', 'compozy'] as const) {
  const started = performance.now();
  const { misses, cases, offered, calls, outputs, ...found } = await explore(dialect, {
    runs,
    seed,
  });
  for (const miss of misses.slice(0, 50)) process.stdout.write(`${miss}\n`);
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(
    `${dialect}: ${cases} manifests, seed ${seed}, ${offered} tools offered, ${calls} calls, ${outputs} outputs, ` +
      `at most ${Math.round(found.longestMs)} ms of the thread and ${Math.round(found.residentMb)} MB, ` +
      `${misses.length} misses, ${seconds} s\n`,
  );
  if (misses.length > 0 || found.residentMb > RESIDENT_MB) process.exitCode = 1;
}
