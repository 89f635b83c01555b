import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Disposable } from '../../base/disposable.ts';

/** By how much the heap grows beyond what lives before it is collected again, in percent. */
const GROWTH = 60;

/** The host has loaded its code by then, and nobody waits for it. Milliseconds. */
const FIRST_MS = 1_500;

/** Bytes for new objects, two halves of 8 MB. Node 24 takes up to 128 MB, and keeps them. */
const NEW_OBJECTS = 16 * 1024 * 1024;

/**
 * Lets the heap grow with what lives in it. By default V8 collects it for the first time when it has grown
 * to a hundred megabytes, and never gives them back, although a session of 2,000 turns needs 30.
 */
export function boundHeap(): Disposable {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  setFlagsFromString('--expose-gc');
  const newObjects = boundNewObjects();
  // The limit for the next collection is derived from what is left after this one.
  const timer = setTimeout(
    () => void runInNewContext("typeof gc === 'function' && gc()"),
    FIRST_MS,
  );
  return {
    dispose: () => {
      clearTimeout(timer);
      newObjects.dispose();
    },
  };
}

/**
 * The extension starts the host with this limit as an option; for a host that another client starts it
 * has to be set in the running process, which V8 can only do by growing no further.
 */
function boundNewObjects(): Disposable {
  const observer = new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (space === undefined || space.space_size < NEW_OBJECTS) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
  return { dispose: () => observer.disconnect() };
}
