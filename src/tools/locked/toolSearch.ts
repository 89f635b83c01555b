import { failure, success } from '../../base/outcome.ts';
import type { ToolMatch } from '../../runtime/sessionServices.ts';
import type { Tool } from '../contract.ts';

interface Args {
  readonly query: string;
}

/** Finds tools that are too many for each request; they can be called from the next step on (spec CS-54). */
export const toolSearch: Tool<Args, { readonly matches: readonly ToolMatch[] }> = {
  id: 'tool_search',
  kind: 'search',
  description:
    'Find more tools by what they do. There are tools that are not listed here until a search finds them. Give a few words, such as "create issue" or "query database". The tools found can be called from your next step on, and stay available in this session.',
  parameters: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        description: 'Words of the name or the description, or the exact id of a tool.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  requires: {},

  subjects: ({ query }) => [{ permission: 'tool_search', target: query, match: 'text' }],
  title: ({ query }) => `Search tools: ${query}`,

  async execute({ query }, { session }) {
    if (session.searchTools === undefined) {
      return failure('Tools can only be searched in a session.');
    }
    return success({ matches: await session.searchTools(query) });
  },
};
