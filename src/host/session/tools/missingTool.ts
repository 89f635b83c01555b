import { type AgentDefinition, hasTool } from '../../../agentDefinitions/definition.ts';
import { isToolPart, type StoredToolPart } from '../../../base/stream/stored.ts';
import type { SessionTools } from '../../../tools/composeTools.ts';
import type { HostServices } from '../../services/hostServices.ts';

interface MissingIn {
  readonly id: string;
  readonly definition: AgentDefinition;
}

/** Why a tool that the model named can't be called; undefined when there never was one. */
export function whyMissing(
  tool: string,
  found: SessionTools,
  session: MissingIn,
  /** Absent: a call without a session. */
  recorder?: HostServices['recorder'],
): string | undefined {
  const { definition } = session;
  const known = found.tools.find((each) => each.tool.id === tool);
  if (known?.disabled) return 'The user disabled it.';
  if (known !== undefined && !hasTool(definition, known.tool)) {
    return `The agent "${definition.name}" does not have it.`;
  }
  const held = found.notOffered.find(({ id, calledAs = id }) => calledAs === tool);
  if (held !== undefined) return held.why;
  // Without the answer of every source, nobody can tell whether there is such a tool.
  const silent = found.notOffered.filter(({ id, source, file }) => id === source && !file);
  if (silent.length > 0) return silent.map(({ why }) => why).join(' ');
  const messages = recorder?.messages(session.id) ?? [];
  const parts = messages.flatMap((message) => message.parts);
  const wasHere = parts.some((part) => isToolPart(part) && part.toolName === tool && hasRun(part));
  return wasHere
    ? 'It was here earlier in this session, and no manifest declares it now.'
    : undefined;
}

function hasRun({ state, output }: StoredToolPart): boolean {
  if (state === 'output-available') return true;
  return output?.type === 'error' && !output.error_text.startsWith('unknown tool: ');
}
