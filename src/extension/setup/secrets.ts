import type * as vscode from 'vscode';

/** The ids of secrets that the host may request. */
const KNOWN = /^(?:model|search|runloop|mcp)\/[\w.@/-]{1,200}$/;

/** API keys are kept in VS Code's secret storage, never in settings, logs or files. */
export function createSecrets(storage: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>) {
  return {
    get: async (id: string) => (KNOWN.test(id) ? storage.get(`gatehouse/${id}`) : undefined),
    set: (id: string, value: string) => storage.store(`gatehouse/${id}`, value),
    clear: (id: string) => storage.delete(`gatehouse/${id}`),
  };
}

export type Secrets = ReturnType<typeof createSecrets>;
