import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';

/** How folders are called that only we use, until they get their own name. */
const OWN = /^\.[^/\\]+\.gatehouse-[0-9a-f]{12}$/;

/** A new name for a folder that is filled first, beside the one that it will have. */
export function toOwnFolder(folder: string): string {
  const name = `.${path.basename(folder).slice(0, 50)}.gatehouse-${randomUUID().slice(-12)}`;
  return path.join(path.dirname(folder), name);
}

/** Removes such a folder with all that is in it, and nothing that is called otherwise. False if there is none. */
export async function removeOwnFolder(folder: string): Promise<boolean> {
  if (!OWN.test(path.basename(folder))) return false;
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  return true;
}
