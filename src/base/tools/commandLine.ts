import { fieldAt } from '../json.ts';
import { getToolFacts } from './toolFacts.ts';

/** The command line that a call would run; undefined for a call that runs none. */
export function getCommandLine(tool: string, input: unknown): string | undefined {
  const facts = getToolFacts(tool);
  const line = facts?.about === 'command' ? fieldAt(input, facts.argument) : undefined;
  return typeof line === 'string' ? line : undefined;
}
