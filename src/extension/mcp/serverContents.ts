import type { ContentBlock } from '@agentclientprotocol/sdk';
import type * as vscode from 'vscode';
import type { ContentQuery, ContentResult } from '../../acp/gatehouse/tools.ts';
import type { Clock } from '../../base/clock.ts';
import { fillTemplate, readVariables } from '../../base/text/uriTemplate.ts';
import { toVisibleLine } from '../../base/text/visibleText.ts';
import type {
  PromptArgument,
  ServerContent,
  ServerPrompt,
  ServerResource,
  ServerTemplate,
} from '../../base/tools/serverContent.ts';
import { toImageBlock, toTextBlock } from '../context/blocks.ts';
import type { ContextCandidate, FilledPrompt } from '../context/lookUp.ts';
import type { HostLink } from '../host/hostLink.ts';
import { toPlainLine } from '../text/plainMarkdown.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import { type ArgumentQuestion, pickArgument } from './pickArgument.ts';

export interface ServerContentsParts {
  link(): Pick<HostLink, 'started' | 'listsTools' | 'connection'>;
  readonly window: Pick<typeof vscode.window, 'showInputBox' | 'createQuickPick'>;
  readonly clock: Clock;
  readonly t: Translate;
}

/** How long a list is used again, in milliseconds: while the user types a query. */
const FRESH = 10_000;
/** Servers may take long to answer, in milliseconds. */
const LIST_WAIT = 700;

/** Resources and prompts of MCP servers, as what can be attached and written. */
export function createServerContents(parts: ServerContentsParts) {
  const list = createList(parts);
  return {
    async resources() {
      const { resources, templates } = await list();
      return [
        ...resources.map((each) => toResource(parts, each)),
        ...templates.map((each) => toTemplate(parts, each)),
      ];
    },
    prompts: async () => (await list()).prompts.map((each) => toPrompt(parts, each)),
  };
}

const NOTHING: ServerContent = { resources: [], templates: [], prompts: [] };

/** Typing must not start the host, nor wait for servers for long. */
function createList({ link, clock }: ServerContentsParts): () => Promise<ServerContent> {
  let listed: Promise<ServerContent> | undefined;
  let since = 0;
  return async () => {
    const { started, listsTools } = link();
    if (!started || !listsTools) return NOTHING;
    if (listed === undefined || clock.now() - since >= FRESH) {
      since = clock.now();
      listed = link()
        .connection()
        .then((connection) => connection.call('serverContent', {}))
        .catch(() => NOTHING);
    }
    const late = Promise.withResolvers<ServerContent>();
    const timer = clock.after(LIST_WAIT, () => late.resolve(NOTHING));
    const found = await Promise.race([listed, late.promise]);
    timer.dispose();
    return found;
  };
}

async function read({ link }: ServerContentsParts, query: ContentQuery): Promise<ContentResult> {
  return (await link().connection()).call('readContent', query);
}

function toResource(
  parts: ServerContentsParts,
  { server, uri, name, description }: ServerResource,
): ContextCandidate {
  return {
    ...{ kind: 'resource', label: name, path: `${server} ${name} ${uri}` },
    description: describe(server, description, uri),
    read: () => attach(parts, { server, uri }, name),
  };
}

async function attach(
  parts: ServerContentsParts,
  query: ContentQuery,
  name: string,
): Promise<ContentBlock> {
  const { parts: found } = await read(parts, query);
  const texts = found.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const [image] = found.flatMap((part) => (part.type === 'image' ? [part] : []));
  if (texts.length === 0 && image) return toImageBlock(name, image.mimeType, image.data);
  return toTextBlock(`${query.server}: ${name}`, texts.join('\n'));
}

/** What a row of the list says beside the name. */
function describe(server: string, text: string | undefined, address: string): string {
  return [server, text === undefined ? address : toPlainLine(text)].join(' · ');
}

/** Resources whose address the user completes: each of its variables is asked for. */
function toTemplate(
  parts: ServerContentsParts,
  { server, template, name, description, completes }: ServerTemplate,
): ContextCandidate {
  return {
    ...{ kind: 'resource', label: `${name}…`, path: `${server} ${name} ${template}` },
    description: describe(server, description, template),
    async read() {
      const given = await askAll(parts, {
        ...{ server, title: `${server}: ${name}`, completes, of: { template } },
        arguments: (readVariables(template) ?? []).map((each) => ({ name: each, required: false })),
      });
      if (given === undefined) return undefined;
      const uri = fillTemplate(template, given);
      return attach(parts, { server, uri }, `${name} ${toVisibleLine(uri)}`);
    },
  };
}

function toPrompt(parts: ServerContentsParts, prompt: ServerPrompt): ContextCandidate {
  const { server, name, description } = prompt;
  return {
    ...{ kind: 'prompt', label: `/${server}:${name}` },
    ...(description !== undefined && { description: toPlainLine(description) }),
    read: async () => undefined,
    fill: () => fill(parts, prompt),
  };
}

async function fill(
  parts: ServerContentsParts,
  prompt: ServerPrompt,
): Promise<FilledPrompt | undefined> {
  const { server, name, completes } = prompt;
  const asked = { server, title: `${server}: ${name}`, completes, of: { prompt: name } };
  const given = await askAll(parts, { ...asked, arguments: prompt.arguments });
  if (given === undefined) return undefined;
  const values = Object.fromEntries(given);
  const { parts: found } = await read(parts, { server, prompt: name, arguments: values });
  const text = found.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const images = found.flatMap((part, at): ContentBlock[] =>
    part.type === 'image' ? [toImageBlock(`${name} ${at + 1}`, part.mimeType, part.data)] : [],
  );
  return { text, images };
}

interface Asked {
  readonly server: string;
  readonly title: string;
  readonly completes: boolean;
  readonly of: { readonly prompt: string } | { readonly template: string };
  readonly arguments: readonly PromptArgument[];
}

/** The values that the user gives, one by one. Undefined: the user gave up. */
async function askAll(
  parts: ServerContentsParts,
  { server, title, completes, of, arguments: all }: Asked,
): Promise<ReadonlyMap<string, string> | undefined> {
  const { t, window, clock } = parts;
  const given = new Map<string, string>();
  for (const { name: argument, description, required } of all) {
    const label = required || 'template' in of ? argument : t('{0} (optional)', argument);
    const what = description === undefined ? label : `${label}: ${toPlainLine(description)}`;
    const prompt = plainNotice(what);
    const suggest = async (value: string) => {
      const query = { server, ...of, argument, value, given: Object.fromEntries(given) };
      return (await (await parts.link().connection()).call('completeContent', query)).values;
    };
    const value = completes
      ? await pickArgument({ window, clock, suggest, t }, { title, prompt, required })
      : await typeArgument(parts, { title, prompt, required });
    if (value === undefined) return undefined;
    if (value !== '') given.set(argument, value);
  }
  return given;
}

function typeArgument(
  { window, t }: ServerContentsParts,
  { title, prompt, required }: ArgumentQuestion,
): Thenable<string | undefined> {
  return window.showInputBox({
    ...{ title, prompt, ignoreFocusOut: true },
    validateInput: (value) => (required && value === '' ? t('A value is needed.') : undefined),
  });
}
