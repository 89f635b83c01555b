import path from 'node:path';
import { type SystemPrompt, systemPrompt } from '../../../agent/prompt/systemPrompt.ts';
import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import { isInFolder } from '../../../base/disk/insideFolder.ts';
import type { SessionGuidance } from './sessionGuidance.ts';

interface PromptedSession {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly definition: AgentDefinition;
  readonly guidance: SessionGuidance;
}

/** The prompt of the session's agent for one turn (spec CS-77). It is kept for the user to read. */
export async function assemblePrompt(
  session: PromptedSession,
  model: string,
  tools: readonly { readonly id: string; readonly loadsSkills?: true }[],
  now = Date.now(),
): Promise<SystemPrompt> {
  const { cwd, additionalDirectories, definition, guidance } = session;
  const [{ instructions, skills }, git] = await Promise.all([guidance.get(), guidance.git()]);
  const prompt = systemPrompt({
    agent: toAgentPrompt(definition),
    instructions: instructions.files.map(({ file, text }) => ({ name: toName(file, cwd), text })),
    skills: tools.some(({ loadsSkills }) => loadsSkills) ? skills.skills : [],
    environment: {
      platform: process.platform,
      root: cwd,
      additionalRoots: [...additionalDirectories, ...definition.roots],
      ...(git !== undefined && { git: `${git} (when the session began)` }),
      now,
      model,
    },
    tools: tools.length,
  });
  guidance.prompt = prompt;
  return prompt;
}

/** Nothing else tells a subagent who its caller is (spec CS-32). */
function toAgentPrompt({ prompt, caller }: AgentDefinition): string {
  return caller === 'agent' ? `${prompt}\n\n${CALLER}` : prompt;
}

const CALLER = 'Your caller is another agent; return structured output.';

/** Files of the workspace by their path in it. */
function toName(file: string, cwd: string): string {
  return isInFolder(file, cwd) ? path.relative(cwd, file) : file;
}
