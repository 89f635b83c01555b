import { createHash } from 'node:crypto';
import type { ChatModel } from '../../../agent/model.ts';
import { formatModelRef, type ModelRef } from '../../../agent/models/provider.ts';
import { getMessage } from '../../../base/faults.ts';
import type { ModelFault } from '../../../base/stream/chunk.ts';
import type { ModelSettings } from '../../config/settings.ts';
import type { ChosenModel } from '../../models/modelService.ts';
import type { HostServices } from '../../services/hostServices.ts';

/** Why a prompt cannot be answered: a message for the user, and data for the client's error card. */
export interface PromptFault {
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly kind: string };
}

const NO_MODEL: PromptFault = {
  message:
    'No model is configured. Choose one with Gatehouse: Set Model… (outside VS Code: set GATEHOUSE_MODEL_BASE_URL and GATEHOUSE_MODEL_ID to an OpenAI-compatible endpoint), then send the message again.',
  data: { kind: 'no-model', retryable: true },
};

/** The model with its key, or an error that says how to configure it. */
export async function chooseModel(
  services: HostServices,
  settings: ModelSettings,
  ref: ModelRef | undefined,
): Promise<ChosenModel | PromptFault> {
  if (ref === undefined) return NO_MODEL;
  const { client, env } = services;
  try {
    const models = await services.models();
    const chosen = await models.choose({ client, env, settings }, ref);
    if (!chosen.ok) return NO_MODEL;
    const { provider, access } = chosen.data;
    if (provider.key === 'required' && access.apiKey === undefined)
      return missingKey(provider.label);
    return chosen.data;
  } catch (error) {
    return noKey(getMessage(error));
  }
}

function missingKey(label: string): PromptFault {
  return {
    message: `${label} needs an API key, and none is stored. Set the key, then send the message again.`,
    data: { kind: 'no-key', retryable: true },
  };
}

function noKey(reason: string): PromptFault {
  return {
    message: `The editor did not provide the model's API key: ${reason} Store the key again, then send the message again.`,
    data: { kind: 'no-key', retryable: true },
  };
}

export function isFault(value: ChosenModel | PromptFault): value is PromptFault {
  return 'data' in value;
}

const models = new WeakMap<HostServices, { readonly digest: string; readonly model: ChatModel }>();

/**
 * Reuses the model client of the last turn while the choice is unchanged, because creating one compiles
 * response schemas. The cache is keyed by a digest, so that the API key is not copied into it.
 */
export async function getModel(
  services: HostServices,
  choice: ChosenModel,
  contextTokens: number,
): Promise<ChatModel> {
  const { baseUrl, apiKey } = choice.access;
  const words = JSON.stringify([
    formatModelRef(choice.ref),
    baseUrl,
    apiKey ?? null,
    contextTokens,
  ]);
  const digest = createHash('sha256').update(words).digest('hex');
  const known = models.get(services);
  if (known?.digest === digest) return known.model;
  const model = await (await services.models()).open(choice, contextTokens);
  models.set(services, { digest, model });
  return model;
}

/** An error of the loop as the error of the prompt. */
export function toPromptFault(errorText: string, fault: ModelFault | undefined): PromptFault {
  const { kind = 'other', retryable = false, status } = fault ?? {};
  return {
    message: errorText,
    data: { kind, retryable, ...(status === undefined ? {} : { status }) },
  };
}
