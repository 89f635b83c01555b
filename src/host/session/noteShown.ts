import { setShown } from '../../recorder/library/shown.ts';
import type { Settings } from '../config/settings.ts';
import type { HostServices } from '../services/hostServices.ts';

/** Keeps the retention of other windows from deleting a session that is open here. */
export function noteShown(
  { configuration, data, recorder }: Pick<HostServices, 'configuration' | 'data' | 'recorder'>,
  sessionId: string,
): void {
  if (!hasRetention(configuration.current(data.scratch).settings.retention)) return;
  try {
    setShown(recorder.store, sessionId);
  } catch {
    // The file is locked or the disk full. The history can be read all the same, and the next look notes it.
  }
}

/** Whether any session is ever deleted by itself. */
export function hasRetention(retention: Settings['retention']): boolean {
  return Object.values(retention).some((limit) => limit > 0);
}
