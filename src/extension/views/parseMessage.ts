import { asString, toRecord } from '../../base/json.ts';
import type { AskAnswer, ChosenRule, FormContent } from '../../webview/messages/asks.ts';
import { parseAttached } from '../../webview/messages/attached.ts';
import { CHAT_COMMANDS, type ChatCommand } from '../../webview/messages/chatState.ts';
import type { ToExtension, UserAction } from '../../webview/messages/messages.ts';
import { parseScreen } from '../../webview/messages/screen.ts';

/** Parses a message from a page. Undefined for unknown types and invalid fields. */
export function parseMessage(value: unknown): ToExtension | undefined {
  const message = toRecord(value);
  if (message['type'] === 'ready') return { type: 'ready' };
  if (message['type'] === 'focus' || message['type'] === 'pong') return parseFocus(message);
  const session = asString(message['session']);
  if (message['type'] === 'screen') return parseKept(session, message['nodes']);
  const action = parseAction(message);
  return session === undefined || action === undefined ? undefined : { ...action, session };
}

/** A screen that can't be kept as it is takes away the last one. */
function parseKept(session: string | undefined, value: unknown): ToExtension | undefined {
  const nodes = parseScreen(value);
  return session === undefined ? undefined : { type: 'screen', session, ...(nodes && { nodes }) };
}

function parseFocus({
  type,
  ping,
  focused,
  empty,
}: Readonly<Record<string, unknown>>): ToExtension | undefined {
  if (typeof focused !== 'boolean' || typeof empty !== 'boolean') return undefined;
  if (type === 'focus') return { type, focused, empty };
  return typeof ping === 'number' ? { type: 'pong', ping, focused, empty } : undefined;
}

function parseAction(message: Readonly<Record<string, unknown>>): UserAction | undefined {
  const field = (name: string) => asString(message[name]);
  switch (message['type']) {
    case 'stop':
    case 'retry':
    case 'retryNow':
    case 'nextRequest':
    case 'showRequest':
    case 'typed':
      return { type: message['type'] };
    case 'send':
      return parseSend(message);
    case 'openAsk':
      return withText(field('askId'), (askId) => ({ type: 'openAsk', askId }));
    case 'openRule':
      return withText(field('askId'), (askId) => {
        return { type: 'openRule', askId, ...(message['near'] === true && { near: true }) };
      });
    case 'showTerminal':
      return withText(field('terminalId'), (terminalId) => ({ type: 'showTerminal', terminalId }));
    case 'openLink':
      return withText(field('href'), (href) => ({ type: 'openLink', href }));
    case 'copyText':
      return withText(field('text'), (text) => ({ type: 'copyText', text }));
    case 'choose':
      return parseChoose(message['id'], message['on']);
    case 'useModel':
    case 'useNext':
      return parseModel(message['type'], field('ref'));
    case 'run':
      return parseRun(message['command']);
    case 'answer':
      return parseAnswerMessage(message);
    case 'keepEntry':
      return parseKeepEntry(message);
    case 'showDiff':
      return parseShowDiff(message);
    case 'openLocation':
      return parseLocation(message);
    default:
      return parseOfItem(message) ?? parseQueue(message) ?? parseAttach(message);
  }
}

function parseModel(type: 'useModel' | 'useNext', ref: string | undefined) {
  return withText(ref, (named) => ({ type, ref: named }));
}

/** Actions that are about queued messages. */
function parseQueue({
  type,
  id,
  before,
}: Readonly<Record<string, unknown>>): UserAction | undefined {
  if (type === 'resumeQueue' || type === 'restoreRemoved' || type === 'dismissRemoved')
    return { type };
  if (typeof id !== 'string') return undefined;
  if (type === 'unqueue' || type === 'removeQueued' || type === 'steer') return { type, id };
  if (type !== 'moveQueued') return undefined;
  if (before === undefined) return { type, id };
  return typeof before === 'string' ? { type, id, before } : undefined;
}

/** Actions that are about what is attached. */
function parseAttach(message: Readonly<Record<string, unknown>>): UserAction | undefined {
  switch (message['type']) {
    case 'attach':
      return parseAttachEntry(message);
    case 'takePrompt':
      return typeof message['id'] === 'string'
        ? { type: 'takePrompt', id: message['id'] }
        : undefined;
    case 'lookUp':
      return parseLookUp(message);
    case 'attachUri':
      return parseUri(message);
    case 'stillReading':
      return parseStillReading(message['requests']);
    case 'attachImage':
      return parseImage(message);
    default:
      return undefined;
  }
}

function withText<Message>(
  text: string | undefined,
  make: (text: string) => Message,
): Message | undefined {
  return text === undefined ? undefined : make(text);
}

function parseSend({ text, attached }: Readonly<Record<string, unknown>>): UserAction | undefined {
  if (typeof text !== 'string') return undefined;
  if (attached === undefined) return { type: 'send', text };
  const chips = Array.isArray(attached) ? attached.map(parseAttached) : [undefined];
  // The message would go without a part of what the user attached.
  if (!chips.every((chip) => chip !== undefined)) return undefined;
  return { type: 'send', text, attached: chips };
}

function parseLookUp({ query, request, commands }: Readonly<Record<string, unknown>>) {
  if (typeof query !== 'string' || typeof request !== 'number') return undefined;
  return {
    type: 'lookUp',
    query,
    request,
    ...(commands === true && { commands: true as const }),
  } as const;
}

function parseAttachEntry({ id, request }: Readonly<Record<string, unknown>>) {
  if (typeof id !== 'string' || typeof request !== 'string') return undefined;
  return { type: 'attach', id, request } as const;
}

function parseUri({ uri, request }: Readonly<Record<string, unknown>>) {
  if (typeof uri !== 'string' || typeof request !== 'string') return undefined;
  return { type: 'attachUri', uri, request } as const;
}

function parseStillReading(value: unknown): UserAction | undefined {
  if (!Array.isArray(value)) return undefined;
  return { type: 'stillReading', requests: value.filter((each) => typeof each === 'string') };
}

function parseImage({ request, name, mediaType, base64 }: Readonly<Record<string, unknown>>) {
  if (typeof request !== 'string') return undefined;
  if (typeof name !== 'string' || typeof base64 !== 'string') return undefined;
  if (typeof mediaType !== 'string' || !mediaType.startsWith('image/')) return undefined;
  return { type: 'attachImage', request, name, mediaType, base64 } as const;
}

function parseChoose(id: unknown, on: unknown): UserAction | undefined {
  if (id === undefined && on === undefined) return { type: 'choose' };
  if (typeof id !== 'string') return undefined;
  if (on === undefined) return { type: 'choose', id };
  return typeof on === 'boolean' ? { type: 'choose', id, on } : undefined;
}

function parseRun(value: unknown): UserAction | undefined {
  const command: ChatCommand | undefined = CHAT_COMMANDS.find((each) => each === value);
  return command === undefined ? undefined : { type: 'run', command };
}

/** Actions on one card. */
const OF_ITEM = [
  'editMessage',
  'forkMessage',
  'stopCommand',
  'continueInBackground',
  'runInTerminal',
  'copyOutput',
  'openOutput',
  'revert',
  'showRule',
] as const;

function parseOfItem({
  type,
  itemId,
  subagent,
}: Readonly<Record<string, unknown>>): UserAction | undefined {
  if (type === 'showSubagent') {
    return typeof subagent === 'string' ? { type, subagent } : undefined;
  }
  const known = OF_ITEM.find((each) => each === type);
  return known !== undefined && typeof itemId === 'string' ? { type: known, itemId } : undefined;
}

function parseKeepEntry({
  askId,
  entryId,
  keep,
}: Readonly<Record<string, unknown>>): UserAction | undefined {
  if (typeof askId !== 'string' || typeof entryId !== 'string') return undefined;
  return typeof keep === 'boolean' ? { type: 'keepEntry', askId, entryId, keep } : undefined;
}

function parseAnswerMessage(message: Readonly<Record<string, unknown>>): UserAction | undefined {
  const askId = asString(message['askId']);
  const answer = parseAnswer(toRecord(message['answer']));
  return askId === undefined || answer === undefined
    ? undefined
    : { type: 'answer', askId, answer, ...(message['composed'] === true && { composed: true }) };
}

function parseAnswer(answer: Readonly<Record<string, unknown>>): AskAnswer | undefined {
  if (answer['kind'] === 'decline') return { kind: 'decline' };
  if (answer['kind'] === 'form') return { kind: 'form', content: parseContent(answer['content']) };
  const optionId = asString(answer['optionId']);
  if (answer['kind'] !== 'option' || optionId === undefined) return undefined;
  const reason = asString(answer['reason']);
  const edited = asString(answer['edited']);
  const rules = answer['rules'] === undefined ? undefined : parseChosen(answer['rules']);
  if (answer['rules'] !== undefined && rules === undefined) return undefined;
  return {
    ...{ kind: 'option', optionId },
    ...(reason !== undefined && { reason }),
    ...(edited !== undefined && { edited }),
    ...(rules !== undefined && { rules }),
    ...(answer['build'] === true && { build: true }),
  };
}

/** Undefined if the rules are invalid: the answer would store others than the user chose. */
function parseChosen(value: unknown): readonly ChosenRule[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const rules = value.map((each) => {
    const { permission, pattern, action } = toRecord(each);
    const known = (['allow', 'ask', 'deny'] as const).find((name) => name === action);
    if (typeof permission !== 'string' || typeof pattern !== 'string') return undefined;
    return known && { permission, pattern, action: known };
  });
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

function parseContent(value: unknown): FormContent {
  const entries: [string, FormContent[string]][] = [];
  for (const [key, each] of Object.entries(toRecord(value))) {
    if (typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean') {
      entries.push([key, each]);
    } else if (Array.isArray(each)) {
      entries.push([key, each.filter((item) => typeof item === 'string')]);
    }
  }
  return Object.fromEntries(entries);
}

function parseShowDiff({
  itemId,
  index,
}: Readonly<Record<string, unknown>>): UserAction | undefined {
  if (typeof itemId !== 'string' || typeof index !== 'number') return undefined;
  return { type: 'showDiff', itemId, index };
}

function parseLocation({ path, line }: Readonly<Record<string, unknown>>): UserAction | undefined {
  if (typeof path !== 'string') return undefined;
  return { type: 'openLocation', path, ...(typeof line === 'number' && { line }) };
}
