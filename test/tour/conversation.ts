/** What a script needs to know of a request's messages. */
export interface Conversation {
  readonly system: string;
  /** The user's last message. */
  readonly prompt: string;
  /** How often the user has spoken. */
  readonly prompts: number;
  /** Results of the calls made since the user's last message, in order. */
  readonly results: readonly ToolResult[];
  /** Names of the tools the request offers. */
  readonly tools: readonly string[];
}

export interface ToolResult {
  readonly tool: string;
  readonly id: string;
  /** The envelope's data, or its error text. */
  readonly ok: boolean;
  readonly data: unknown;
  readonly errorText: string;
}

/** Reads a request body of OpenAI's chat completions. */
export function toConversation(body: Readonly<Record<string, unknown>>): Conversation {
  const messages = toRecords(body['messages']);
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const names = new Map<unknown, string>();
  for (const message of messages) {
    for (const call of toRecords(message['tool_calls'])) {
      names.set(call['id'], String(toRecord(call['function'])['name']));
    }
  }
  return {
    system: messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => toText(content))
      .join('\n'),
    prompt: toLastText(messages[last]?.['content']),
    prompts: messages.filter(({ role }) => role === 'user').length,
    results: messages
      .slice(last + 1)
      .filter(({ role }) => role === 'tool')
      .map((message) => toResult(message, names)),
    tools: toRecords(body['tools']).map((tool) => String(toRecord(tool['function'])['name'])),
  };
}

function toResult(
  message: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<unknown, string>,
): ToolResult {
  const id = message['tool_call_id'];
  const envelope = toRecord(parse(toText(message['content'])));
  return {
    tool: names.get(id) ?? '',
    id: String(id),
    ok: envelope['type'] === 'output',
    data: envelope['data'],
    errorText: String(envelope['error_text'] ?? ''),
  };
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  return toRecords(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

/** Prompts whose answers failed travel in one message; only the newest counts. */
function toLastText(content: unknown): string {
  return typeof content === 'string' ? content : toText(toRecords(content).slice(-1));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}

export function toRecords(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(toRecord) : [];
}
