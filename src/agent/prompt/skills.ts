/** A skill as the prompt lists it; its body comes with the `skill` tool (spec CS-40). */
export interface PromptSkill {
  readonly name: string;
  readonly description: string;
}

const INTRO =
  '# Skills\nInstructions for special tasks. When a description fits the task, load the skill with the skill tool before you begin.';

export function skillsSection(skills: readonly PromptSkill[]): string {
  if (skills.length === 0) return '';
  return [INTRO, ...skills.map(({ name, description }) => `- ${name}: ${description}`)].join('\n');
}
