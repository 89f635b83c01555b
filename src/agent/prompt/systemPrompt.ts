import { createHash } from 'node:crypto';
import { type Environment, environmentSection } from './environment.ts';
import { instructionsSection, type PromptInstructions } from './instructions.ts';
import { type PromptSkill, skillsSection } from './skills.ts';
import { toolsSection } from './tools.ts';

/** What the sections are made of. Add a field here for a new section. */
export interface PromptParts {
  /** The prompt from the agent's definition. */
  readonly agent: string;
  /** The outermost first. */
  readonly instructions?: readonly PromptInstructions[];
  readonly skills?: readonly PromptSkill[];
  readonly environment: Environment;
  /** The number of tools that the request declares. */
  readonly tools: number;
}

/** A section of the system prompt. */
export interface PromptSection {
  readonly id: 'agent' | 'instructions' | 'skills' | 'environment' | 'tools';
  readonly text: string;
}

/** The sections in their fixed order (spec CS-77). A section without text is omitted. */
const SECTIONS: readonly {
  readonly id: PromptSection['id'];
  readonly write: (parts: PromptParts) => string;
}[] = [
  { id: 'agent', write: ({ agent }) => agent },
  { id: 'instructions', write: ({ instructions = [] }) => instructionsSection(instructions) },
  { id: 'skills', write: ({ skills = [] }) => skillsSection(skills) },
  { id: 'environment', write: ({ environment }) => environmentSection(environment) },
  { id: 'tools', write: ({ tools }) => toolsSection(tools) },
];

export interface SystemPrompt {
  readonly text: string;
  /** SHA-256 of the text in hex, which messages store as `system_prompt_digest`. */
  readonly digest: string;
  readonly sections: readonly PromptSection[];
}

export function systemPrompt(parts: PromptParts): SystemPrompt {
  const sections = SECTIONS.map(({ id, write }) => ({ id, text: write(parts).trim() })).filter(
    ({ text }) => text !== '',
  );
  const text = sections.map((section) => section.text).join('\n\n');
  return { text, digest: createHash('sha256').update(text).digest('hex'), sections };
}
