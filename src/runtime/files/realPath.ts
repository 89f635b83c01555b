import { failure, type Outcome, success } from '../../base/outcome.ts';
import { resolvePath } from '../../permissions/patterns/paths.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import type { Gate } from '../runtime.ts';

/** The real path for which the call was authorized; any other path is resolved now. */
export function findRealPath(
  { folders, gate }: { readonly folders: PolicyFolders; readonly gate: Gate },
  written: string,
): Outcome<string> {
  const admitted = gate.realPath(written);
  if (admitted !== undefined) return success(admitted);
  const resolved = resolvePath(written, { cwd: folders.cwd, platform: process.platform });
  return resolved.ok ? success(resolved.path) : failure(resolved.error);
}
