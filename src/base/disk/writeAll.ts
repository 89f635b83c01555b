import type { FileHandle } from 'node:fs/promises';

/** Replaces the file's content with `content`. */
export async function fill(handle: FileHandle, content: Buffer): Promise<void> {
  await writeAt(handle, content, 0);
  await handle.truncate(content.length);
  await handle.sync();
}

/** Writes all of `bytes`, starting at `position`. */
export async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
