import { after } from 'node:test';

/**
 * Loaded before the unit tests. A process that does not end after its tests, since one of them left
 * something open, ends in an error: waited for, it would take the time of the whole run.
 */
const LIMIT = 60_000;

after(() => {
  const end = () => {
    console.error(`The tests are over. Left open: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  };
  setTimeout(end, LIMIT).unref();
});
