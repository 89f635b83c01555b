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
