import { type ModelRef, PROVIDER_IDS, parseModelRef } from '../../../agent/models/provider.ts';
import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import type { Recorder } from '../../../recorder/recorder.ts';
import type { StoredSession } from '../../../recorder/records.ts';
import type { ModelSettings } from '../../config/settings.ts';

/** The model of a session: the user's choice for it, else its agent's, else the one that is set. */
export interface SessionModel {
  /** Undefined if none is set. */
  ref(
    settings: Pick<ModelSettings, 'provider' | 'id' | 'small'>,
    agent: Pick<AgentDefinition, 'model' | 'small'>,
  ): ModelRef | undefined;
  /**
   * The user's choice, from the next turn on; whether there is such a model shows when it is asked. Returns
   * an error message, or undefined on success.
   */
  pick(text: string): string | undefined;
}

export function createSessionModel(
  recorder: Pick<Recorder, 'setModel'>,
  { id, model }: Pick<StoredSession, 'id' | 'model'>,
): SessionModel {
  let picked = toPicked(model);
  return {
    ref: (settings, agent) => {
      const small = agent.small === true && settings.small !== '' ? settings.small : undefined;
      const text = toModelText(agent.model, settings.provider) ?? small ?? settings.id;
      if (picked !== undefined || text === undefined) return picked;
      return parseModelRef(text, settings.provider);
    },
    pick(text) {
      if (text.trim() === '') return 'The model must be named.';
      const ref = parseModelRef(text, 'openai-compatible');
      recorder.setModel(id, { provider_id: ref.provider, model_id: ref.id });
      picked = ref;
      return undefined;
    },
  };
}

/** The names by which agents of Claude Code call a family of models. */
const ALIASES: Readonly<Record<string, string>> = {
  opus: 'claude-opus-4-8',
  sonnet: 'claude-sonnet-4-6',
  haiku: 'claude-haiku-4-5',
};

/** Another provider than the one that has them would not know an alias, so that the session's model is used there. */
function toModelText(agent: string | undefined, provider: ModelRef['provider']) {
  if (agent === undefined || !Object.hasOwn(ALIASES, agent)) return agent;
  return provider === 'anthropic' ? ALIASES[agent] : undefined;
}

/** A provider that this version doesn't know is none. */
function toPicked(stored: StoredSession['model']): ModelRef | undefined {
  const provider = PROVIDER_IDS.find((each) => each === stored?.provider_id);
  return stored === undefined || provider === undefined
    ? undefined
    : { provider, id: stored.model_id };
}
