import type { Prompt, Resource, ResourceTemplateType } from '@modelcontextprotocol/client';
import { showHidden, withoutInvisible } from '../base/hidden.ts';
import { readVariables } from '../base/text/uriTemplate.ts';
import type { McpServer } from '../base/tools/mcpServer.ts';
import type {
  CompletionRequest,
  ServerContent,
  ServerPrompt,
  ServerResource,
  ServerTemplate,
} from '../base/tools/serverContent.ts';
import type { McpConnection } from './connect/connection.ts';

/** A running server, by its name in rules. */
export interface NamedConnection {
  readonly name: string;
  readonly server: Pick<McpServer, 'name' | 'timeoutMs'>;
  readonly connection: Pick<McpConnection, 'state' | 'covers'>;
}

const MOST_RESOURCES = 500;
const MOST_PROMPTS = 100;
const MOST_ARGUMENTS = 20;
const MOST_VALUES = 100;
const TEXT_LENGTH = 300;
const URI_LENGTH = 2000;
/** How long a list may take; it is made while the user types. */
const LIST_MS = 3000;

const NO_CONTENT: ServerContent = { resources: [], templates: [], prompts: [] };

/** The resources and prompts of the servers that run. One that fails or hangs has none. */
export async function listContent(servers: readonly NamedConnection[]): Promise<ServerContent> {
  const found = await Promise.all(servers.map(listOne));
  return {
    resources: found.flatMap(({ resources }) => resources),
    templates: found.flatMap(({ templates }) => templates),
    prompts: found.flatMap(({ prompts }) => prompts),
  };
}

async function listOne({ name, server, connection }: NamedConnection): Promise<ServerContent> {
  const { state } = connection;
  if (state.type !== 'ready') return NO_CONTENT;
  const { client } = state;
  const { resources, prompts, completions } = client.getServerCapabilities() ?? {};
  const options = { timeout: Math.min(LIST_MS, server.timeoutMs) };
  const [listed, templates, offered] = await Promise.all([
    resources && client.listResources(undefined, options).catch(() => undefined),
    resources && client.listResourceTemplates(undefined, options).catch(() => undefined),
    prompts && client.listPrompts(undefined, options).catch(() => undefined),
  ]);
  const completes = completions !== undefined;
  return {
    resources: toResources(name, listed?.resources ?? []),
    templates: toTemplates(name, templates?.resourceTemplates ?? [], completes),
    prompts: toPrompts(name, offered?.prompts ?? [], completes),
  };
}

function toResources(server: string, all: readonly Resource[]): readonly ServerResource[] {
  return all
    .filter(({ uri }) => isPlain(uri))
    .slice(0, MOST_RESOURCES)
    .map((each) => {
      const label = cut(each.title ?? each.name) ?? each.uri;
      return { server, uri: each.uri, name: label, ...describe(each) };
    });
}

function toTemplates(
  server: string,
  all: readonly ResourceTemplateType[],
  completes: boolean,
): readonly ServerTemplate[] {
  return all
    .filter(({ uriTemplate }) => {
      const count = readVariables(uriTemplate)?.length ?? Number.POSITIVE_INFINITY;
      return isPlain(uriTemplate) && count <= MOST_ARGUMENTS;
    })
    .slice(0, MOST_RESOURCES)
    .map((each) => {
      const { uriTemplate: template } = each;
      const label = cut(each.title ?? each.name) ?? template;
      return { server, template, name: label, completes, ...describe(each) };
    });
}

function toPrompts(
  server: string,
  all: readonly Prompt[],
  completes: boolean,
): readonly ServerPrompt[] {
  return all
    .filter((each) => /^[^\s\p{C}]{1,128}$/u.test(each.name))
    .slice(0, MOST_PROMPTS)
    .map((each) => ({
      ...{ server, name: each.name, completes, ...describe(each) },
      arguments: (each.arguments ?? []).slice(0, MOST_ARGUMENTS).map((argument) => ({
        ...{ name: argument.name.slice(0, TEXT_LENGTH), ...describe(argument) },
        required: argument.required === true,
      })),
    }));
}

/** An address that the user sees as it is. */
function isPlain(uri: string): boolean {
  return uri.length <= URI_LENGTH && withoutInvisible(uri) === uri;
}

function describe({ description }: { readonly description?: string | undefined }) {
  const text = cut(description);
  return text === undefined ? {} : { description: text };
}

/** In one line, with hidden characters shown: the user chooses by it. */
function cut(text: string | undefined): string | undefined {
  const line = text?.replace(/\s+/g, ' ').trim();
  return line ? showHidden(line.slice(0, TEXT_LENGTH)) : undefined;
}

/** Values that the server suggests. A server that fails, hangs or suggests none has none. */
export async function suggestValues(
  { server, connection }: NamedConnection,
  { prompt, template, argument, value, given }: CompletionRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { state } = connection;
  if (state.type !== 'ready') return [];
  if (state.client.getServerCapabilities()?.completions === undefined) return [];
  const ref =
    prompt === undefined
      ? ({ type: 'ref/resource', uri: template ?? '' } as const)
      : ({ type: 'ref/prompt', name: prompt } as const);
  const asked = {
    ...{ ref, argument: { name: argument, value } },
    ...(given !== undefined && { context: { arguments: { ...given } } }),
  };
  const options = { timeout: Math.min(LIST_MS, server.timeoutMs), signal };
  const found = await state.client.complete(asked, options).catch(() => undefined);
  const values = (found?.completion.values ?? []).slice(0, MOST_VALUES);
  // The user takes what they see.
  return values.filter((each) => each.length <= TEXT_LENGTH && showHidden(each) === each);
}
