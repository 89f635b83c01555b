import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { Tool } from '../../contract.ts';

interface Args {
  readonly name: string;
}

interface Data {
  readonly content: string;
}

/** Loads the body of a skill, which stays in the conversation (spec C-26, spec CS-41). */
export const skill: Tool<Args, Data> = {
  id: 'skill',
  kind: 'think',
  description:
    'Load a skill by its name: instructions for one kind of task, as the list of skills in the system prompt describes it. A skill stays loaded for the session.',
  parameters: {
    type: 'object',
    properties: {
      name: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
        description: 'As in the list of skills.',
      },
    },
    required: ['name'],
    additionalProperties: false,
  },
  requires: {},
  loadsSkills: true,
  // A skill is never longer than a result may be; as JSON, it could be, and would lose its end.
  output: () => ({ text: 'content' }),

  subjects: ({ name }) => [{ permission: 'skill', target: name, match: 'text' }],
  title: ({ name }) => `Skill: ${name}`,

  async execute({ name }, { session }): Promise<Outcome<Data>> {
    if (session.loadSkill === undefined) {
      return failure(`No skill named "${name}". No skills are available in this session.`);
    }
    const loaded = await session.loadSkill(name);
    return loaded.ok ? success({ content: loaded.data }) : loaded;
  },
};
