import type * as vscode from 'vscode';
import type {
  EditorModels,
  LanguageModelCall,
  LanguageModelPart,
  LanguageModelResult,
  WireModelPart,
} from '../../acp/gatehouse/client.ts';
import { getMessage } from '../../base/faults.ts';
import { asString, fieldAt } from '../../base/json.ts';
import { toToken } from '../asks/cancellation.ts';

/** What serving VS Code's language models needs of its API. */
export interface LanguageModelParts {
  readonly lm: Pick<typeof vscode.lm, 'selectChatModels'>;
  readonly api: Pick<
    typeof vscode,
    | 'LanguageModelChatMessage'
    | 'LanguageModelTextPart'
    | 'LanguageModelToolCallPart'
    | 'LanguageModelToolResultPart'
    | 'LanguageModelDataPart'
  >;
  readonly justification: string;
}

/** Every model that VS Code has, of Copilot and of other extensions. Asks the user nothing. */
export async function listLanguageModels({ lm }: LanguageModelParts): Promise<EditorModels> {
  const models = (await lm.selectChatModels({})).filter(({ id }) => id !== '');
  return {
    models: models.map((model) => ({
      ...{ id: toId(model, models), name: model.name, vendor: model.vendor },
      contextTokens: Number.isFinite(model.maxInputTokens) ? model.maxInputTokens : 0,
    })),
  };
}

type Named = Pick<vscode.LanguageModelChat, 'id' | 'vendor'>;

/** Each vendor chooses ids of its own. An id that several of them use says whose model it is. */
function toId({ id, vendor }: Named, all: readonly Named[]): string {
  const isShared = all.some((each) => each.id === id && each.vendor !== vendor);
  return isShared ? `${vendor}/${id}` : id;
}

/** A plain id that several vendors use names none of their models: the wrong account would pay. */
function findModel<Model extends Named>(all: readonly Model[], wanted: string): Model | undefined {
  return (
    all.find((model) => model.id === wanted && toId(model, all) === wanted) ??
    all.find(({ id, vendor }) => `${vendor}/${id}` === wanted)
  );
}

/**
 * Sends one request to a model, and its answer in parts. Resolves when the last one was taken; with an error
 * for what VS Code or the model refuses. VS Code asks the user before the first request to a model.
 */
export async function runLanguageModel(
  parts: LanguageModelParts,
  call: LanguageModelCall,
  send: (part: LanguageModelPart) => Promise<unknown>,
  signal: AbortSignal,
): Promise<LanguageModelResult> {
  const { lm, justification } = parts;
  try {
    const model = findModel(await lm.selectChatModels({}), call.modelId);
    if (model === undefined) return refuse('NotFound', `${call.modelId} is not offered.`);
    const messages = call.messages.map(({ role, parts: content }) => {
      const said = content.map((each) => toPart(parts, each));
      return toMessage(parts, role, said);
    });
    const tools = call.tools.map(({ name, description, parameters }) => ({
      ...{ name, description },
      inputSchema: parameters,
    }));
    const options = { justification, ...(tools.length > 0 && { tools }) };
    const answer = await model.sendRequest(messages, options, toToken(signal));
    for await (const part of answer.stream) {
      if (signal.aborted) break;
      const sent = toSent(parts, part);
      if (sent !== undefined) await send({ callId: call.callId, part: sent });
    }
    return {};
  } catch (error) {
    return refuse(asString(fieldAt(error, 'code')) ?? 'Unknown', describe(error));
  }
}

function refuse(code: string, message: string): LanguageModelResult {
  return { error: { code, message } };
}

/** The cause says what the model's extension ran into. */
function describe(error: unknown): string {
  const cause = fieldAt(error, 'cause');
  return cause === undefined ? getMessage(error) : getMessage(cause);
}

type UserPart = ConstructorParameters<typeof vscode.LanguageModelChatMessage>[1];
type MessagePart = Exclude<UserPart, string>[number];

function toMessage(
  { api }: LanguageModelParts,
  role: 'user' | 'assistant',
  content: MessagePart[],
): vscode.LanguageModelChatMessage {
  const { LanguageModelChatMessage } = api;
  // The halves of the type differ only in what may not occur in this role.
  return role === 'user'
    ? LanguageModelChatMessage.User(content as Parameters<typeof LanguageModelChatMessage.User>[0])
    : LanguageModelChatMessage.Assistant(
        content as Parameters<typeof LanguageModelChatMessage.Assistant>[0],
      );
}

function toPart({ api }: LanguageModelParts, part: WireModelPart): MessagePart {
  const text = (value: string) => new api.LanguageModelTextPart(value);
  switch (part.type) {
    case 'text':
      return text(part.text);
    case 'image':
      return api.LanguageModelDataPart.image(Buffer.from(part.data, 'base64'), part.mediaType);
    case 'call':
      return new api.LanguageModelToolCallPart(part.id, part.name, Object(part.input));
    case 'result':
      return new api.LanguageModelToolResultPart(part.id, [text(part.text)]);
  }
}

/** Parts of other kinds, such as those that later versions add, are left out. */
function toSent({ api }: LanguageModelParts, part: unknown): LanguageModelPart['part'] | undefined {
  if (part instanceof api.LanguageModelTextPart) {
    return part.value === '' ? undefined : { type: 'text', text: part.value };
  }
  if (!(part instanceof api.LanguageModelToolCallPart)) return undefined;
  return { type: 'call', id: part.callId, name: part.name, input: part.input };
}
