import type { GetPromptResult } from '@modelcontextprotocol/client';
import { getMessage } from '../base/faults.ts';
import { withoutInvisible } from '../base/hidden.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import {
  CONTENT_LENGTH,
  type ContentPart,
  type ContentRequest,
} from '../base/tools/serverContent.ts';
import { MB } from '../base/units.ts';
import type { SourceSession, ToolSource } from '../tools/toolSource.ts';
import { RESTARTS } from './connect/connection.ts';
import { listContent, type NamedConnection, suggestValues } from './listContent.ts';

const MOST_PARTS = 50;
const IMAGE_BYTES = 5 * MB;

/** What a source of tools does with the contents of servers. */
export function toContentReader(
  open: (session: SourceSession, onlyRunning?: boolean) => Promise<readonly NamedConnection[]>,
): Required<Pick<ToolSource, 'content' | 'readContent' | 'completeContent'>> {
  const find = async (
    session: SourceSession,
    server: string,
  ): Promise<Outcome<NamedConnection>> => {
    const found = (await open(session)).find(({ name }) => name === server);
    if (found === undefined) return failure(`There is no MCP server "${server}".`);
    if (await found.connection.covers(session.hidden)) return success(found);
    return failure(`The MCP server "${server}" ${RESTARTS}`);
  };
  return {
    content: async (session, onlyRunning) => listContent(await open(session, onlyRunning)),
    async readContent(session, request, signal) {
      const found = await find(session, request.server);
      return found.ok ? readContent(found.data, request, signal) : found;
    },
    async completeContent(session, request, signal) {
      const found = await find(session, request.server);
      return found.ok ? success(await suggestValues(found.data, request, signal)) : found;
    },
  };
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
