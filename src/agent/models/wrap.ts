import type { ChatModel, ModelCall } from '../model.ts';

/** The model with calls that are changed before they are sent. */
export function withCalls(model: ChatModel, change: (call: ModelCall) => ModelCall): ChatModel {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (call) => model.doGenerate(change(call)),
    doStream: (call) => model.doStream(change(call)),
  };
}

/** Adds options of one provider to a call. */
export function withOptions(
  call: ModelCall,
  provider: string,
  options: NonNullable<ModelCall['providerOptions']>[string],
): ModelCall {
  const { providerOptions = {} } = call;
  const own = { ...providerOptions[provider], ...options };
  return { ...call, providerOptions: { ...providerOptions, [provider]: own } };
}
