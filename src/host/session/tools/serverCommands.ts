import type { AvailableCommand, ContentBlock } from '@agentclientprotocol/sdk';
import { COMMANDS, parseServerCommand, type ServerCommand } from '../../../acp/commands.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type {
  ContentPart,
  PromptArgument,
  ServerPrompt,
} from '../../../base/tools/serverContent.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { type ContentOwner, readServerContent } from './serverContent.ts';
import { toSourceSession } from './sessionTools.ts';

/** The commands of a session: those of the host, and the prompts of its MCP servers that run. Starts none (spec CS-50). */
export async function listCommands(
  services: HostServices,
  owner: ContentOwner,
): Promise<readonly AvailableCommand[]> {
  return [...COMMANDS, ...(await listPrompts(services, owner, true)).map(toCommand)];
}

async function listPrompts(
  services: HostServices,
  owner: ContentOwner,
  onlyRunning: boolean,
): Promise<readonly ServerPrompt[]> {
  const catalog = await services.tools();
  return (await catalog.content(toSourceSession(services, owner), onlyRunning)).prompts;
}

function toCommand({ server, name, description, arguments: all }: ServerPrompt): AvailableCommand {
  const hint = all.map((each) => (each.required ? each.name : `${each.name} (optional)`));
  return {
    name: `${server}:${name}`,
    description: description ?? `A prompt of the MCP server ${server}`,
    ...(hint.length > 0 && { input: { hint: hint.join(', ') } }),
  };
}

/**
 * Replaces a command that is a prompt of an MCP server by what the server makes of it. Other messages stay
 * as they are, also those that only look like one.
 */
export async function fillServerCommand(
  services: HostServices,
  owner: ContentOwner,
  blocks: readonly ContentBlock[],
  signal: AbortSignal,
): Promise<Outcome<readonly ContentBlock[]>> {
  const command = parseServerCommand(blocks);
  if (command === undefined) return success(blocks);
  const { server, prompt } = command;
  const { workspace } = owner.configuration();
  if (workspace?.trusted === false) return success(blocks);
  const found = (await listPrompts(services, owner, false)).find(
    (each) => each.server === server && each.name === prompt,
  );
  if (found === undefined) return success(blocks);
  const given = toArguments(found, command);
  if (!given.ok) return given;
  const request = { server, prompt, arguments: given.data };
  const read = await readServerContent(services, owner, request, signal);
  return read.ok ? success([...read.data.map(toBlock), ...blocks.slice(1)]) : read;
}

/**
 * `name=value`, or values in the order of the arguments; quotes keep blanks. Without quotes, the last
 * argument takes all that is left.
 */
function toArguments(
  { arguments: all, server, name }: ServerPrompt,
  { words }: ServerCommand,
): Outcome<Readonly<Record<string, string>>> {
  const given = new Map<string, string>();
  let rest = words.trim();
  while (rest !== '') {
    const next = takeWord(rest);
    const named = all.find((each) => next.word.startsWith(`${each.name}=`));
    const open = all.filter((each) => !given.has(each.name));
    const [first] = open;
    if (named !== undefined && !given.has(named.name)) {
      given.set(named.name, next.word.slice(named.name.length + 1));
    } else if (first === undefined) {
      return failure(`/${server}:${name} takes ${all.length} arguments, and more were given.`);
    } else if (open.length === 1 && !next.quoted && next.rest !== '') {
      given.set(first.name, rest);
      break;
    } else given.set(first.name, next.word);
    rest = next.rest;
  }
  const missing = all.filter((each) => each.required && !given.has(each.name));
  if (missing.length > 0) return failure(describeMissing(`/${server}:${name}`, missing));
  return success(Object.fromEntries(given));
}

function describeMissing(command: string, missing: readonly PromptArgument[]): string {
  const names = missing.map((each) => each.name);
  const example = names.map((name) => `${name}="…"`).join(' ');
  return `${command} needs ${names.join(', ')}. Nothing was sent. Write: ${command} ${example}`;
}

/** Returns the first word of a text, without its quotes, and the rest. The text must not begin with a space. */
function takeWord(text: string) {
  const [whole = text] = /^(?:"[^"]*"|'[^']*'|[^\s"']|["'])+/.exec(text) ?? [];
  const word = whole.replaceAll(
    /"([^"]*)"|'([^']*)'/g,
    (_, one?: string, two?: string) => one ?? two ?? '',
  );
  return { word, quoted: word !== whole, rest: text.slice(whole.length).trimStart() };
}

function toBlock(part: ContentPart): ContentBlock {
  return part.type === 'text' ? part : { type: 'image', mimeType: part.mimeType, data: part.data };
}
