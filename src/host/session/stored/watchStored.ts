import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import type { OpenHost } from '../openHost.ts';
import { followDeletions } from './followDeletions.ts';
import { keepRetention } from './retention.ts';

/** What a host does about stored sessions by itself, until it ends. */
export function watchStored(host: OpenHost): Disposable {
  const store = new DisposableStore();
  store.add(followDeletions(host));
  store.add(keepRetention(host));
  return store;
}
