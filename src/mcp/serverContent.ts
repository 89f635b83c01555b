import type { GetPromptResult } from '@modelcontextprotocol/client';
import { getMessage } from '../base/faults.ts';
import { showHidden, withoutInvisible } from '../base/hidden.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import type { McpServer } from '../base/tools/mcpServer.ts';
import {
  CONTENT_LENGTH,
  type ContentPart,
  type ContentRequest,
  type ServerContent,
  type ServerPrompt,
  type ServerResource,
} from '../base/tools/serverContent.ts';
import { MB } from '../base/units.ts';
import type { SourceSession, ToolSource } from '../tools/toolSource.ts';
import type { McpConnection } from './connect/connection.ts';

/** A running server, by its name in rules. */
export interface NamedConnection {
  readonly name: string;
  readonly server: Pick<McpServer, 'name' | 'timeoutMs'>;
  readonly connection: Pick<McpConnection, 'state'>;
}

const MOST_RESOURCES = 500;
const MOST_PROMPTS = 100;
const MOST_ARGUMENTS = 20;
const TEXT_LENGTH = 300;
const URI_LENGTH = 2000;
/** How long a list may take; it is made while the user types. */
const LIST_MS = 3000;
const MOST_PARTS = 50;
const IMAGE_BYTES = 5 * MB;

/** What a source of tools does with the contents of servers. */
export function toContentReader(
  open: (session: SourceSession) => Promise<readonly NamedConnection[]>,
): Required<Pick<ToolSource, 'content' | 'readContent'>> {
  return {
    content: async (session) => listContent(await open(session)),
    async readContent(session, request, signal) {
      const found = (await open(session)).find(({ name }) => name === request.server);
      if (found === undefined) return failure(`There is no MCP server "${request.server}".`);
      return readContent(found, request, signal);
    },
  };
}

/** The resources and prompts of the servers that run. One that fails or hangs has none. */
async function listContent(servers: readonly NamedConnection[]): Promise<ServerContent> {
  const found = await Promise.all(servers.map(listOne));
  return {
    resources: found.flatMap(({ resources }) => resources),
    prompts: found.flatMap(({ prompts }) => prompts),
  };
}

async function listOne({ name, server, connection }: NamedConnection): Promise<ServerContent> {
  const { state } = connection;
  if (state.type !== 'ready') return { resources: [], prompts: [] };
  const { client } = state;
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  const options = { timeout: Math.min(LIST_MS, server.timeoutMs) };
  const [listed, offered] = await Promise.all([
    resources && client.listResources(undefined, options).catch(() => undefined),
    prompts && client.listPrompts(undefined, options).catch(() => undefined),
  ]);
  return {
    resources: (listed?.resources ?? [])
      .filter(({ uri }) => uri.length <= URI_LENGTH && withoutInvisible(uri) === uri)
      .slice(0, MOST_RESOURCES)
      .map((each): ServerResource => {
        const label = cut(each.title ?? each.name) ?? each.uri;
        return { server: name, uri: each.uri, name: label, ...describe(each) };
      }),
    prompts: (offered?.prompts ?? [])
      .filter((each) => /^[^\s\p{C}]{1,128}$/u.test(each.name))
      .slice(0, MOST_PROMPTS)
      .map(
        (each): ServerPrompt => ({
          ...{ server: name, name: each.name, ...describe(each) },
          arguments: (each.arguments ?? []).slice(0, MOST_ARGUMENTS).map((argument) => ({
            ...{ name: argument.name.slice(0, TEXT_LENGTH), ...describe(argument) },
            required: argument.required === true,
          })),
        }),
      ),
  };
}

function describe({ description }: { readonly description?: string | undefined }) {
  const text = cut(description);
  return text === undefined ? {} : { description: text };
}

/** In one line, with hidden characters shown: the user chooses by it. */
function cut(text: string | undefined): string | undefined {
  const line = text?.replace(/\s+/g, ' ').trim();
  return line ? showHidden(line.slice(0, TEXT_LENGTH)) : undefined;
}

/** Reads a resource that the server lists, or fills in a prompt. */
async function readContent(
  { server, connection }: NamedConnection,
  { uri, prompt, arguments: given = {} }: ContentRequest,
  signal: AbortSignal,
): Promise<Outcome<readonly ContentPart[]>> {
  const { state } = connection;
  if (state.type !== 'ready') return failure(`mcp server ${server.name} is unavailable`);
  const options = { timeout: server.timeoutMs, signal };
  try {
    if (uri !== undefined) {
      const { contents } = await state.client.readResource({ uri }, options);
      return toParts(contents.map(toResourcePart));
    }
    const filled = { name: prompt ?? '', arguments: { ...given } };
    return toParts((await state.client.getPrompt(filled, options)).messages.map(toPromptPart));
  } catch (fault) {
    return failure(`mcp server ${server.name}: ${getMessage(fault).slice(0, 500)}`);
  }
}

type Block = GetPromptResult['messages'][number]['content'];
type Embedded = Extract<Block, { type: 'resource' }>['resource'];

function toPromptPart({ content }: { readonly content: Block }): ContentPart | undefined {
  // The user sees it before it is sent.
  if (content.type === 'text') return { type: 'text', text: withoutInvisible(content.text) };
  if (content.type === 'resource') return toResourcePart(content.resource);
  if (content.type === 'resource_link') return { type: 'text', text: content.uri };
  return content.type === 'image' ? toImage(content.mimeType, content.data) : undefined;
}

function toResourcePart(resource: Embedded): ContentPart | undefined {
  if ('text' in resource) return { type: 'text', text: resource.text };
  return toImage(resource.mimeType ?? '', resource.blob);
}

function toImage(mimeType: string, data: string): ContentPart | undefined {
  const isImage = /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType);
  return isImage && data.length <= IMAGE_BYTES ? { type: 'image', mimeType, data } : undefined;
}

/** All of it as far as it fits. */
function toParts(all: readonly (ContentPart | undefined)[]): Outcome<readonly ContentPart[]> {
  const parts = all.filter((part) => part !== undefined).slice(0, MOST_PARTS);
  if (parts.length === 0) return failure('It has no text and no picture that a chat can show.');
  let left = CONTENT_LENGTH;
  const kept: ContentPart[] = [];
  for (const part of parts) {
    if (part.type !== 'text') kept.push(part);
    else if (left > 0) {
      const isCut = part.text.length > left;
      const text = isCut ? `${part.text.slice(0, left).toWellFormed()}\n… (cut)` : part.text;
      left -= part.text.length;
      kept.push({ type: 'text', text });
    }
  }
  return success(kept);
}
