import { type LoadedTools, loadDeclaredTools } from '../../../src/declared/load.ts';
import type { DeclaredOptions } from '../../../src/declared/run/options.ts';

/** Options of the declared tools of tests: no secrets, no log, the default limit for schemas. */
export const OPTIONS: DeclaredOptions = {
  env: { PATH: process.env['PATH'] },
  secrets: { get: async () => undefined },
  audit: () => undefined,
  timeoutMs: 5000,
  schemaMs: 1000,
  confirmExternalActions: true,
};

/** Loads the manifests of a trusted folder as if all of them were accepted. */
export function loadAccepted(folder: string): Promise<LoadedTools> {
  const accepted = { has: () => true };
  return loadDeclaredTools({ roots: [folder], trusted: true, accepted, options: OPTIONS });
}
