import type * as vscode from 'vscode';

/** The id under which the host asks for the model's key. */
export const MODEL_KEY = 'model/openai-compatible';

/** Ids the host may ask for; anything else is not ours to give. */
const KNOWN = /^(?:model|search|runloop)\/[\w.@/-]{1,200}$/;

/** Keys live in the editor's secret storage only: never in settings, logs or files. */
export function createSecrets(storage: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>) {
  return {
    get: async (id: string) => (KNOWN.test(id) ? storage.get(`gatehouse/${id}`) : undefined),
    set: (id: string, value: string) => storage.store(`gatehouse/${id}`, value),
    clear: (id: string) => storage.delete(`gatehouse/${id}`),
  };
}

export type Secrets = ReturnType<typeof createSecrets>;
