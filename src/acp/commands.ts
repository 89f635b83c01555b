import type { AvailableCommand, ContentBlock } from '@agentclientprotocol/sdk';

/** What a user can write at the start of a message instead of a prompt. */
export const COMMANDS: AvailableCommand[] = [
  {
    name: 'compact',
    description: 'Replace the conversation so far by a summary of it, to free context',
    input: { hint: 'what the summary should keep (optional)' },
  },
];

/** The user's `/compact`, with what they want the summary to keep; undefined for any other prompt. */
export function parseCompact(
  blocks: readonly ContentBlock[],
): { readonly focus?: string } | undefined {
  const [block, ...others] = blocks;
  if (block?.type !== 'text' || others.length > 0) return undefined;
  const found = /^\s*\/compact(?:\s+(.*))?$/s.exec(block.text);
  if (found === null) return undefined;
  const words = found[1]?.trim() ?? '';
  return words === '' ? {} : { focus: words };
}

/** A prompt of an MCP server, called by `/server:prompt`. */
export interface ServerCommand {
  /** The server's name in rules. */
  readonly server: string;
  readonly prompt: string;
  /** What follows the name. */
  readonly words: string;
}

/** What has the form of such a call; undefined for any other prompt. */
export function parseServerCommand(blocks: readonly ContentBlock[]): ServerCommand | undefined {
  const [block] = blocks;
  if (block?.type !== 'text') return undefined;
  const found = /^\s*\/([\w.-]{1,128}):(\S{1,128})(?:\s+(.*))?$/s.exec(block.text);
  if (found === null) return undefined;
  const [, server = '', prompt = '', words = ''] = found;
  return { server, prompt, words };
}
