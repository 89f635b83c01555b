import { getMessage } from '../../base/faults.ts';

/**
 * One after the other: MCP servers may run in what the next ones remove. What fails keeps none of the others: they end
 * the processes of commands.
 */
export async function endAll(
  lazy: readonly { opened(): Promise<{ dispose(): Promise<void> } | undefined> }[],
  warn: (message: string) => void,
): Promise<void> {
  for (const each of lazy) {
    try {
      await (await each.opened())?.dispose();
    } catch (fault) {
      warn(`Not everything was ended: ${getMessage(fault)}`);
    }
  }
}
