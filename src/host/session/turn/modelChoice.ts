import { getMessage } from '../../../base/faults.ts';
import type { ModelFault } from '../../../base/stream/chunk.ts';
import type { Client } from '../../client/client.ts';
import { fetchSecret, noteSecret } from '../../client/secrets.ts';
import type { ModelSettings } from '../../config/settings.ts';

/** The model that a turn uses. The key is held only during the call and never logged. */
export interface ModelChoice {
  readonly baseUrl: string;
  readonly id: string;
  readonly apiKey?: string;
}

/** Why a prompt cannot be answered: a message for the user, and data for the client's error card. */
export interface PromptFault {
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly kind: string };
}

const NO_MODEL: PromptFault = {
  message:
    'No model is configured. Set gatehouse.model.baseUrl and gatehouse.model.id to an OpenAI-compatible endpoint (outside VS Code: GATEHOUSE_MODEL_BASE_URL and GATEHOUSE_MODEL_ID), then send the message again.',
  data: { kind: 'no-model', retryable: true },
};

/** The configured model with its key, or an error that says how to configure it. */
export async function chooseModel(
  settings: ModelSettings,
  client: Client,
  env: NodeJS.ProcessEnv,
): Promise<ModelChoice | PromptFault> {
  const { baseUrl, id } = settings;
  if (baseUrl === undefined || id === undefined) return NO_MODEL;
  let apiKey: string | undefined;
  try {
    apiKey = await findKey(settings, client, env);
  } catch (error) {
    return noKey(getMessage(error));
  }
  return { baseUrl, id, ...(apiKey === undefined ? {} : { apiKey }) };
}

function noKey(reason: string): PromptFault {
  return {
    message: `The editor did not provide the model's API key: ${reason} Store the key again, then send the message again.`,
    data: { kind: 'no-key', retryable: true },
  };
}

/**
 * The key that belongs to the endpoint. A key from the environment is sent only to an endpoint from
 * the environment, so that a setting cannot redirect it. Without the editor's secret storage the
 * environment is the only source of keys.
 */
async function findKey(
  settings: ModelSettings,
  client: Client,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const fromEnvironment = env['GATEHOUSE_MODEL_API_KEY'] || undefined;
  if (fromEnvironment !== undefined) noteSecret(client, fromEnvironment);
  if (settings.fromEnvironment && fromEnvironment !== undefined) return fromEnvironment;
  if (!client.facts.secret) return fromEnvironment;
  return fetchSecret(client, `model/${settings.provider}`);
}

export function isFault(value: ModelChoice | PromptFault): value is PromptFault {
  return 'data' in value;
}

/** An error of the loop as the error of the prompt. */
export function toPromptFault(errorText: string, fault: ModelFault | undefined): PromptFault {
  const { kind = 'other', retryable = false, status } = fault ?? {};
  return {
    message: errorText,
    data: { kind, retryable, ...(status === undefined ? {} : { status }) },
  };
}
