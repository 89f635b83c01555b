import type { PromptSection, SystemPrompt } from '../../../agent/prompt/systemPrompt.ts';
import type { Guidance } from '../../../guidance/guidance.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { assemblePrompt } from '../prompt/assemblePrompt.ts';
import { offerSessionTools, sessionTools, type ToolOwner } from '../tools/sessionTools.ts';

const TITLES: Readonly<Record<PromptSection['id'], string>> = {
  agent: 'Agent',
  instructions: 'Instructions',
  skills: 'Skills',
  environment: 'Environment',
  tools: 'Tools',
};

interface PromptHost {
  readonly services: HostServices;
  readonly sessions: { get(id: string): ToolOwner & Parameters<typeof assemblePrompt>[0] };
}

/**
 * What the agent was told with its last turn, or will be with its first, and what was left out of it. Throws if the
 * session isn't open.
 */
export async function promptDocument(
  { services, sessions }: PromptHost,
  { sessionId }: { readonly sessionId: string },
): Promise<{ readonly text: string }> {
  const session = sessions.get(sessionId);
  const { guidance } = session;
  const sent = guidance.prompt;
  const { registry } = await sessionTools(services, session);
  const tools = offerSessionTools(services, session, registry).first;
  const prompt = sent ?? (await assemblePrompt(session, '(not sent yet)', tools));
  // It only shows what would be sent; a turn that began meanwhile keeps its own.
  if (sent === undefined && guidance.prompt === prompt) delete guidance.prompt;
  const facts = { agent: session.definition.name, tools, sent: sent !== undefined };
  return { text: toText(prompt, await guidance.get(), facts) };
}

interface Facts {
  readonly agent: string;
  readonly tools: readonly { readonly id: string }[];
  readonly sent: boolean;
}

function toText({ digest, sections }: SystemPrompt, guidance: Guidance, facts: Facts): string {
  const { agent, tools, sent } = facts;
  const left = [...guidance.instructions.leftOut, ...guidance.skills.leftOut];
  const when = sent
    ? 'This system prompt was sent with the last turn.'
    : 'Nothing was sent yet. The first turn gets this system prompt.';
  return [
    '# What the Agent Was Told',
    `${when} This document is read-only.`,
    [
      `- Agent: ${agent}`,
      `- SHA-256, stored with each answer: ${digest}`,
      `- Sections: ${sections.map(describe).join(', ')}`,
      `- Tools declared with it: ${tools.map(({ id }) => id).join(', ')}`,
    ].join('\n'),
    left.length === 0
      ? 'No instruction file and no skill was left out.'
      : `## Left Out\n\n${left.map(({ file, why }) => `- ${file}: ${why}`).join('\n')}`,
    ...sections.map(({ id, text }) => `---\n\n## Section: ${TITLES[id]}\n\n${text}`),
    '',
  ].join('\n\n');
}

function describe({ id, text }: PromptSection): string {
  return `${TITLES[id]} (${text.length} characters)`;
}
