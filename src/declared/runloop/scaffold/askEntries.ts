import path from 'node:path';
import { getHost, type NewTransport, toAttachment } from './newBundle.ts';

/** An attachment that the author described. */
export interface AskedEntry {
  readonly id: string;
  readonly entry: object;
  /** Undefined for `exec`. */
  readonly host: string | undefined;
  readonly secrets: readonly string[];
}

/** Asks one question; resolves to '' at the end of the input. */
export type AskQuestion = (question: string) => Promise<string>;

/** Asks for entries until the author declines (spec D-28); the end of the input declines too. */
export async function askEntries(ask: AskQuestion): Promise<readonly AskedEntry[]> {
  const asked: AskedEntry[] = [];
  while (/^y/i.test(await ask('Add a tool? [y/N] '))) asked.push(await askEntry(ask));
  return asked;
}

async function askEntry(ask: AskQuestion): Promise<AskedEntry> {
  const id = await askUntil(ask, 'Id (such as mail.send): ', (text) =>
    /^[A-Za-z0-9_./-]+$/.test(text),
  );
  const description = await askUntil(ask, 'Description: ', (text) => text !== '');
  const kind = await askUntil(ask, 'Transport (exec or http): ', (text) =>
    /^(?:exec|http)$/.test(text),
  );
  const listed = await ask('Secret ids, separated by commas (none): ');
  const secrets = listed
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  const input = { type: 'object' };
  if (kind === 'exec') {
    const command = await askUntil(ask, 'Absolute path of the program: ', path.isAbsolute);
    return toAskedEntry({ id, description, input, secrets, transport: { kind, command } });
  }
  const method = (await ask('Method (POST): ')).toUpperCase() || 'POST';
  const url = await askUntil(ask, 'URL: ', (text) => getHost(text) !== undefined);
  const transport = { kind: 'http', method, url } as const;
  return toAskedEntry({ id, description, input, secrets, transport });
}

export function toAskedEntry(tool: {
  readonly id: string;
  readonly description: string;
  readonly input: object;
  readonly secrets: readonly string[];
  readonly transport: NewTransport;
}): AskedEntry {
  const { id, description, input, secrets, transport } = tool;
  const host = transport.kind === 'http' ? getHost(transport.url) : undefined;
  const entry = toAttachment({ name: id, description, input }, transport, secrets);
  return { id, host, secrets, entry };
}

/** Repeats the question until an answer is valid, at most three times. */
async function askUntil(
  ask: AskQuestion,
  question: string,
  isValid: (text: string) => boolean,
): Promise<string> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const text = await ask(question);
    if (isValid(text)) return text;
  }
  throw new Error(`no valid answer to: ${question.trim()}`);
}
