import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { MARK, processMark, readMark } from '../base/disk/processMark.ts';
import { getCode, getMessage } from '../base/faults.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import type { Sidecars } from './runtime.ts';

/** A sidecar that grows while a command runs. */
export interface SidecarStream {
  write(bytes: Buffer): Promise<void>;
  /** The file's path, or why the file is incomplete. */
  state(): Outcome<string>;
  /** Closes the file and returns its final state. */
  end(): Promise<Outcome<string>>;
}

export interface SidecarFolder extends Sidecars {
  stream(name: string): SidecarStream;
  /** Removes all of the session's sidecars (spec VC-46). */
  remove(): Promise<void>;
}

/** Sidecars in the session's own folder, which is created with mode 0700 when first needed. */
export function createSidecars(folder: string | undefined): SidecarFolder {
  return {
    async write(name, content) {
      const stream = openStream(folder, name);
      await stream.write(typeof content === 'string' ? Buffer.from(content) : content);
      return stream.end();
    },
    stream: (name) => openStream(folder, name),
    async remove() {
      if (folder === undefined) return;
      await rm(folder, { recursive: true, force: true }).catch((fault: unknown) => {
        // The folder was never created.
        if (getCode(fault) !== 'ENOTDIR') throw fault;
      });
      // Also removes the session's own folder, unless it contains something else.
      await rmdir(path.dirname(folder)).catch(() => undefined);
    },
  };
}

function openStream(folder: string | undefined, name: string): SidecarStream {
  const unique = `${plainName(name)}-${randomUUID().slice(0, 8)}-${processMark()}`;
  const file = path.join(folder ?? '', `${unique}.txt`);
  let handle: FileHandle | undefined;
  let fault = folder === undefined ? 'this session has no output folder.' : undefined;
  return {
    async write(bytes) {
      if (fault !== undefined || folder === undefined) return;
      try {
        // Another process may remove the folder while it is still empty, so try again once.
        handle ??= await openFile(folder, file).catch(() => openFile(folder, file));
        for (let at = 0; at < bytes.length; ) {
          at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
        }
      } catch (error) {
        // The command continues; its result says what is missing (spec VC-49).
        fault = describe(error);
      }
    },
    state: () => (fault === undefined ? success(file) : failure(fault)),
    async end() {
      await handle?.close().catch(() => undefined);
      if (fault === undefined && handle !== undefined) return success(file);
      if (handle !== undefined) await rm(file, { force: true }).catch(() => undefined);
      return failure(fault ?? 'nothing was written.');
    },
  };
}

async function openFile(folder: string, file: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return open(file, 'wx', 0o600);
}

/**
 * Removes sidecars of processes that were killed before they closed their sessions (spec C-47). The
 * file name contains the process's mark; files of processes that may run stay.
 */
export async function sweepSidecars(state: string): Promise<void> {
  const root = path.join(state, 'sessions');
  for (const session of await list(root)) {
    const folder = path.join(root, session, 'out');
    for (const name of await list(folder)) {
      const owner = OWNER.exec(name)?.[1];
      const left = owner !== undefined && readMark(owner) === 'ended';
      // One that can't be removed must not keep the host from running; the next start tries again.
      if (left) await rm(path.join(folder, name), { force: true }).catch(() => undefined);
    }
    for (const empty of [folder, path.dirname(folder)]) await rmdir(empty).catch(() => undefined);
  }
}

const OWNER = new RegExp(`-(${MARK})\\.txt$`);

async function list(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

/** Models choose call ids, so only plain characters of them reach a file name. */
function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60) || 'output';
}

function describe(fault: unknown): string {
  const code = getCode(fault);
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full.';
  if (code === 'EFBIG') return "it exceeds the system's file size limit.";
  return getMessage(fault);
}
