import type { ChatModel } from '../../../agent/model.ts';
import type { Price } from '../../../agent/models/price.ts';
import { parseModelRef } from '../../../agent/models/provider.ts';
import { COMPACTION_AGENT } from '../../../agentDefinitions/builtIn.ts';
import type { ModelSettings } from '../../config/settings.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { TurnSession } from './driver.ts';
import { chooseModel, isFault } from './modelChoice.ts';

/** A model for what is not the conversation itself: summaries and titles. */
export interface SmallModel {
  readonly model: ChatModel;
  /** Undefined: unknown. */
  readonly price: Price | undefined;
}

/** One that can't be used is none: the session's own model, or no request, stands in for it. */
export async function openSmall(
  services: HostServices,
  settings: ModelSettings,
  text: string,
): Promise<SmallModel | undefined> {
  if (text === '') return undefined;
  const choice = await chooseModel(services, settings, parseModelRef(text, settings.provider));
  if (isFault(choice)) return undefined;
  const { contextTokens = 0, price } = choice.info;
  try {
    return { model: await (await services.models()).open(choice, contextTokens), price };
  } catch {
    return undefined;
  }
}

/** The prompt of the agent `compaction`, with its model or the small one. */
export async function openSummarizer(
  services: HostServices,
  session: TurnSession,
): Promise<{ readonly prompt: string; readonly small: SmallModel | undefined }> {
  const { model: settings } = session.configuration().settings;
  const found = await session.findSubagent(COMPACTION_AGENT.name);
  const { prompt, model = settings.small } = found.ok ? found.data : COMPACTION_AGENT;
  return { prompt, small: await openSmall(services, settings, model) };
}
