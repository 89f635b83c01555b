import { existsSync } from 'node:fs';
import { findOnPath } from '../../commands/onPath.ts';
import { findPrivateFiles } from './privateFiles.ts';

/** The host's programs that build a sandbox, absolute, and what of its system it hides. */
export interface SandboxPrograms {
  readonly bwrap: string;
  readonly bash: string;
  readonly unshare: string;
  readonly mount: string;
  /** Files of the system that no sandbox shows. */
  readonly hidden: readonly string[];
}

/** Where the system keeps its programs; the user's own folders are not searched. */
export const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin';

/** `GATEHOUSE_BWRAP` names another bwrap. Undefined, with the name of the first that is missing. */
export function findPrograms(env: NodeJS.ProcessEnv): SandboxPrograms | { missing: string } {
  const bwrap = env['GATEHOUSE_BWRAP'] || findOnPath('bwrap', SYSTEM_PATH);
  if (bwrap === undefined || !existsSync(bwrap)) return { missing: 'bwrap' };
  const bash = findOnPath('bash', SYSTEM_PATH);
  if (bash === undefined) return { missing: 'bash' };
  const unshare = findOnPath('unshare', SYSTEM_PATH);
  if (unshare === undefined) return { missing: 'unshare' };
  const mount = findOnPath('mount', SYSTEM_PATH);
  if (mount === undefined) return { missing: 'mount' };
  return { bwrap, bash, unshare, mount, hidden: findPrivateFiles() };
}
