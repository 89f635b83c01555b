import { secretVariable } from '../manifest/parseIds.ts';

/** Where secrets come from (spec D-23). */
export interface SecretSource {
  /** The value; undefined if this source doesn't have it. */
  get(id: string): Promise<string | undefined>;
}

/** The env provider (spec D-41): the exact id, then upper case with every other character as `_`. */
export function environmentSecrets(env: NodeJS.ProcessEnv): SecretSource {
  return {
    get: async (id) => {
      const name = secretVariable(id);
      // Manifests can't read the product's own keys.
      return name.startsWith('GATEHOUSE_') ? undefined : (env[id] ?? env[name]);
    },
  };
}

/** The first source that has the secret. */
export function chainSecrets(...sources: readonly SecretSource[]): SecretSource {
  return {
    async get(id) {
      for (const source of sources) {
        const value = await source.get(id);
        if (value !== undefined && value !== '') return value;
      }
      return undefined;
    },
  };
}
