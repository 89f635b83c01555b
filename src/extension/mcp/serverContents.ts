import type { ContentBlock } from '@agentclientprotocol/sdk';
import type * as vscode from 'vscode';
import type { ContentQuery, ContentResult } from '../../acp/gatehouse/tools.ts';
import type { Clock } from '../../base/clock.ts';
import type {
  PromptArgument,
  ServerContent,
  ServerPrompt,
  ServerResource,
} from '../../base/tools/serverContent.ts';
import { toImageBlock, toTextBlock } from '../context/blocks.ts';
import type { ContextCandidate, FilledPrompt } from '../context/lookUp.ts';
import type { HostLink } from '../host/hostLink.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';

export interface ServerContentsParts {
  link(): Pick<HostLink, 'started' | 'listsTools' | 'connection'>;
  readonly window: Pick<typeof vscode.window, 'showInputBox'>;
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
    resources: async () => (await list()).resources.map((each) => toResource(parts, each)),
    prompts: async () => (await list()).prompts.map((each) => toPrompt(parts, each)),
  };
}

const NOTHING: ServerContent = { resources: [], prompts: [] };

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
    description: [server, description ?? uri].join(' · '),
    async read() {
      const { parts: found } = await read(parts, { server, uri });
      const texts = found.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      const [image] = found.flatMap((part) => (part.type === 'image' ? [part] : []));
      if (texts.length === 0 && image) return toImageBlock(name, image.mimeType, image.data);
      return toTextBlock(`${server}: ${name}`, texts.join('\n'));
    },
  };
}

function toPrompt(parts: ServerContentsParts, prompt: ServerPrompt): ContextCandidate {
  const { server, name, description } = prompt;
  return {
    ...{ kind: 'prompt', label: `/${server}:${name}` },
    ...(description !== undefined && { description }),
    read: async () => undefined,
    fill: () => fill(parts, prompt),
  };
}

async function fill(
  parts: ServerContentsParts,
  prompt: ServerPrompt,
): Promise<FilledPrompt | undefined> {
  const given: Record<string, string> = {};
  for (const argument of prompt.arguments) {
    const value = await ask(parts, prompt, argument);
    if (value === undefined) return undefined;
    if (value !== '') given[argument.name] = value;
  }
  const { server, name } = prompt;
  const { parts: found } = await read(parts, { server, prompt: name, arguments: given });
  const text = found.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const images = found.flatMap((part, at): ContentBlock[] =>
    part.type === 'image' ? [toImageBlock(`${name} ${at + 1}`, part.mimeType, part.data)] : [],
  );
  return { text, images };
}

/** Undefined: the user gave up. */
function ask(
  { window, t }: ServerContentsParts,
  { server, name }: ServerPrompt,
  { name: argument, description, required }: PromptArgument,
): Thenable<string | undefined> {
  const label = required ? argument : t('{0} (optional)', argument);
  return window.showInputBox({
    title: `${server}: ${name}`,
    prompt: plainNotice(description === undefined ? label : `${label}: ${description}`),
    ignoreFocusOut: true,
    validateInput: (value) => (required && value === '' ? t('A value is needed.') : undefined),
  });
}
