import type { CallToolResult } from '@modelcontextprotocol/client';
import { toShallowJson } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Sidecars } from '../../runtime/runtime.ts';

/** What the model gets of a result. */
export interface McpResult {
  /** The texts of the result. */
  readonly content: string;
  /** What the server gives as data. */
  readonly structured?: unknown;
  /** Pictures, sounds and other files of the result, stored where the session can read them. */
  readonly files?: readonly string[];
}

/** The result of a call; one that the server marks as an error is a failure with its text. */
export async function toResult(
  { content, structuredContent, isError }: CallToolResult,
  sidecars: Pick<Sidecars, 'write'>,
): Promise<Outcome<McpResult>> {
  const texts: string[] = [];
  const files: string[] = [];
  for (const block of content) {
    const shown = await toText(block, sidecars, files);
    if (shown !== '') texts.push(shown);
  }
  const isLost =
    structuredContent !== undefined && toShallowJson(structuredContent, MOST_LEVELS) === undefined;
  const structured = isLost ? undefined : structuredContent;
  const text = [...texts, ...(isLost ? [TOO_DEEP] : [])].join('\n');
  if (isError) return failure(text || 'The tool failed without a reason.');
  return success({
    content: text,
    // Servers repeat their data as text for clients that read only text.
    ...(structured !== undefined && !isSame(text, structured) && { structured }),
    ...(files.length > 0 && { files }),
  });
}

/** Data that is far deeper could be neither shown nor stored. */
const MOST_LEVELS = 200;
const TOO_DEEP = '(data that was left out: it is nested too deeply)';

/** Far more than any tool returns; each is a file on the user's disk. */
const MOST_FILES = 100;

type Block = CallToolResult['content'][number];

async function toText(
  block: Block,
  sidecars: Pick<Sidecars, 'write'>,
  files: string[],
): Promise<string> {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return store(block.data, block.mimeType, sidecars, files);
    case 'resource_link':
      return `Resource ${block.name}: ${block.uri}`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `${resource.uri}:\n${resource.text}`;
      return store(resource.blob, resource.mimeType ?? '', sidecars, files);
    }
  }
}

async function store(
  data: string,
  mimeType: string,
  sidecars: Pick<Sidecars, 'write'>,
  files: string[],
): Promise<string> {
  if (files.length >= MOST_FILES)
    return `(${mimeType} that was left out: a result has ${MOST_FILES} files at most)`;
  const ending = /^\w+\/([a-z0-9]{1,8})$/.exec(mimeType)?.[1] ?? 'bin';
  const name = `mcp-${Date.now().toString(36)}-${files.length}.${ending}`;
  const written = await sidecars.write(name, Buffer.from(data, 'base64'));
  if (!written.ok) return `(${mimeType} that could not be stored: ${written.error})`;
  files.push(written.data);
  return `(${mimeType}: ${written.data})`;
}

function isSame(text: string, data: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(data);
  } catch {
    return false;
  }
}
