import { MODEL_ID, startModelServer } from './server.ts';
import { createTour } from './tour.ts';

/** `node test/tour/main.ts [PORT]`: serves the tour until it is stopped, and prints how to use it. */
const port = Number(process.argv[2] ?? 0);
const server = await startModelServer({ script: createTour(), port });
process.stdout.write(`${server.url}\n`);
process.stderr.write(
  `GATEHOUSE_MODEL_BASE_URL=${server.url} GATEHOUSE_MODEL_ID=${MODEL_ID} GATEHOUSE_MODEL_API_KEY=none\n`,
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void server.stop());
}
