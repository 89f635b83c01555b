import assert from 'node:assert/strict';
import type {
  ListedProvider,
  ModelListing,
  ModelsQuery,
} from '../../../../src/acp/gatehouse/configure.ts';
import type { ModelSetupParts } from '../../../../src/extension/setup/modelSetup.ts';
import { english } from '../english.ts';

export const VSCODE: ListedProvider = {
  ...{ id: 'vscode', label: 'VS Code', kind: 'editor', state: 'found' },
  models: [
    {
      ...{ ref: 'vscode:gpt', id: 'gpt', name: 'GPT', contextTokens: 64_000 },
      account: 'copilot',
    },
  ],
};
export const OLLAMA: ListedProvider = {
  ...{ id: 'ollama', label: 'Ollama', kind: 'local', state: 'found' },
  baseUrl: 'http://127.0.0.1:11434',
  models: [
    { ref: 'ollama:qwen', id: 'qwen', price: { input: 0, output: 0 } },
    { ref: 'ollama:talk', id: 'talk', tools: false },
  ],
};
export const LMSTUDIO: ListedProvider = {
  ...{ id: 'lmstudio', label: 'LM Studio', kind: 'local', state: 'absent', models: [] },
};
export const ANTHROPIC: ListedProvider = {
  ...{ id: 'anthropic', label: 'Anthropic', kind: 'cloud', state: 'key', models: [] },
  keyId: 'model/anthropic',
};
export const CLAUDE = {
  ...{ ref: 'anthropic:claude', id: 'claude', name: 'Claude', contextTokens: 200_000 },
  price: { input: 3, output: 15 },
};
export const ENDPOINT: ListedProvider = {
  ...{ id: 'openai-compatible', label: 'OpenAI-Compatible Endpoint', kind: 'endpoint' },
  ...{ state: 'absent', keyId: 'model/openai-compatible', models: [] },
};
export const ALL = [VSCODE, OLLAMA, LMSTUDIO, ANTHROPIC, ENDPOINT];

type Tried = Awaited<ReturnType<ModelSetupParts['tryModel']>>;

interface Setting {
  readonly all?: readonly ListedProvider[];
  /** What a provider that is set up lists then. */
  readonly later?: ListedProvider | ((baseUrl: string | undefined) => ListedProvider);
  readonly answer?: Tried | ((baseUrl: string | undefined, ref: string) => Tried);
  readonly recent?: string[];
  readonly secrets?: Record<string, string>;
  readonly settings?: Readonly<Record<string, string>>;
}

/** A user who gives these answers, and the providers of a host. */
export function createBed(answers: (string | undefined)[], setting: Setting = {}) {
  const { all = ALL, later, answer = { answered: true }, recent = [], secrets = {} } = setting;
  const bed = {
    written: [] as Parameters<ModelSetupParts['write']>[0][],
    tried: [] as unknown[],
    buttons: [] as (readonly string[])[],
    ...{ listed: [] as string[], infos: [] as string[], warnings: [] as string[] },
    ...{ recent, secrets },
  };
  const parts = {
    window: {
      showInputBox: async () => answers.shift(),
      showQuickPick: async (
        rows: readonly { label: string; description?: string; kind?: number }[],
      ) => {
        for (const { label, description = '', kind } of rows)
          bed.listed.push(kind === -1 ? `— ${label}` : `${label}: ${description}`);
        const chosen = answers.shift();
        return rows.find(({ label, kind }) => kind !== -1 && label === chosen);
      },
      showInformationMessage: async (text: string) => void bed.infos.push(text),
      showWarningMessage: async (text: string, ...buttons: string[]) => {
        bed.warnings.push(text);
        if (buttons.length > 0) bed.buttons.push(buttons);
        return buttons.length > 0 ? answers.shift() : undefined;
      },
    } as never,
    secrets: {
      get: async (id: string) => secrets[id],
      set: async (id: string, value: string) => {
        secrets[id] = value;
      },
      clear: async (id: string) => {
        delete secrets[id];
      },
    } as never,
    t: english,
    progress: (_title: string, work: () => Promise<never>) => work(),
    models: async ({ provider, baseUrl }: ModelsQuery): Promise<ModelListing> => {
      if (provider === undefined) return { pricesFrom: '2026-01-01', providers: all };
      const one = typeof later === 'function' ? later(baseUrl) : later;
      return { pricesFrom: '2026-01-01', providers: [one ?? assert.fail()] };
    },
    tryModel: async (query: Parameters<ModelSetupParts['tryModel']>[0]) => {
      bed.tried.push(query);
      return typeof answer === 'function' ? answer(query.baseUrl, query.ref) : answer;
    },
    read: (key: string) => setting.settings?.[key] ?? '',
    write: async (values: Parameters<ModelSetupParts['write']>[0]) => void bed.written.push(values),
    recent: { get: () => recent, add: (ref: string) => void recent.unshift(ref) },
  };
  return { ...bed, parts: parts as ModelSetupParts };
}
