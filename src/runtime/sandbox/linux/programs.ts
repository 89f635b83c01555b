import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';
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

/** Names the kernel and the bwrap; other versions have other names. */
export function nameMachine(env: NodeJS.ProcessEnv): string {
  const kernel = `${process.platform} ${release()}`;
  if (process.platform !== 'linux') return kernel;
  const programs = findPrograms(env);
  if ('missing' in programs) return `${kernel} without ${programs.missing}`;
  return `${kernel} ${nameFile(programs.bwrap)}`;
}

/**
 * Whether the result of a test that passed is stored in this folder. Tests nothing, and needs none of what
 * tests or builds a sandbox: every session asks while it opens.
 */
export function wasProven(folder: string, env: NodeJS.ProcessEnv): boolean {
  const stored = readProof(folder);
  if (stored === undefined || process.platform !== 'linux') return false;
  const programs = findPrograms(env);
  return !('missing' in programs) && isProof(stored, programs);
}

/** Whether this is the result of a test that the programs passed. */
export function isProof(stored: string | undefined, programs: SandboxPrograms): boolean {
  return stored === toProof(programs);
}

/** The stored result of a test that passed. */
export function readProof(folder: string): string | undefined {
  try {
    return readFileSync(path.join(folder, PROOF), 'utf8');
  } catch {
    // Not tested yet.
    return undefined;
  }
}

/** Stores that the programs passed the test. */
export function storeProof(folder: string, programs: SandboxPrograms): void {
  writeFileSync(path.join(folder, PROOF), toProof(programs), { mode: 0o600 });
}

const PROOF = 'sandbox-test.json';

/** Changes with the probes and with what is built: an older result then counts no more. */
const TEST_VERSION = 11;

function toProof({ bwrap }: SandboxPrograms): string {
  return JSON.stringify([TEST_VERSION, release(), nameFile(bwrap), process.getuid?.()]);
}

/** Another version of a program has another size or time. */
function nameFile(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? `${file} missing` : `${file} ${found.mtimeMs} ${found.size}`;
}
