import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { RequestError } from '@agentclientprotocol/sdk';
import type { Envelope } from '../../base/stream/envelope.ts';
import { schemaFromExample } from '../../declared/authoring.ts';
import { DIALECTS } from '../../declared/manifest/parseEntries.ts';
import { callTool } from '../../tools/callTool.ts';
import type { OpenHost } from '../session/openHost.ts';
import { toCallContext } from '../session/tools/callContext.ts';
import { sessionTools } from '../session/tools/declaredTools.ts';
import { run as scaffold } from './scaffold.ts';

type Params = Readonly<Record<string, unknown>>;

/** `_gatehouse/new_tool`: writes the files of a tool that the user described, below an open folder. */
export async function newTool({ services }: OpenHost, params: Params): Promise<object> {
  const root = textOf(params, 'root');
  const open = services.configuration.current(services.data.scratch).workspace?.roots ?? [];
  if (!open.includes(root))
    throw RequestError.invalidParams({ root: 'It must be an open folder.' });
  const dialect = textOf(params, 'dialect');
  if (!DIALECTS.some((each) => each === dialect)) throw RequestError.invalidParams({ dialect });
  const schema = schemaFromExample(params['example'] ?? {});
  const args = ['--dialect', dialect, '--root', root, '--non-interactive'];
  args.push(`--description=${textOf(params, 'description')}`, `--input=${JSON.stringify(schema)}`);
  for (const name of ['tool', 'command', 'url', 'method']) {
    if (typeof params[name] === 'string') args.push(`--${name}=${params[name]}`);
  }
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const streams = { stdin: new PassThrough(), stdout, stderr };
  const words = [...args, '--', textOf(params, 'name')];
  const code = await scaffold({ args: words, env: {}, cwd: root, ...streams });
  const written = String(stdout.read() ?? '')
    .split('\n')
    .filter((line) => line !== '');
  if (code === 0) return { files: written.map((file) => path.join(root, file)) };
  const [error = ''] = String(stderr.read() ?? '').split('\n', 1);
  return { files: [], error: error.replace(/^error: /, '') };
}

function textOf(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === 'string' && value !== '') return value;
  throw RequestError.invalidParams({ [name]: 'It must be a text.' });
}

/** `_gatehouse/try_tool`: one call of a declared tool through the gate, for its author. */
export async function tryTool(
  { services, sessions }: OpenHost,
  params: Params,
): Promise<{ readonly envelope: Envelope } | { readonly why: string }> {
  const session = sessions.get(textOf(params, 'sessionId'));
  const file = textOf(params, 'file');
  const { pointer } = { pointer: '', ...params };
  const { registry, declared } = sessionTools(services, session);
  const offered = declared.tools.find((each) => each.file === file && each.pointer === pointer);
  if (offered === undefined) {
    const held = declared.notOffered.find(
      (each) => each.file === file && String(each.pointer).startsWith(String(pointer)),
    );
    return { why: held?.why ?? 'The manifest has an error, or does not belong to an open folder.' };
  }
  const runtimes = await services.runtimes();
  const context = toCallContext(services, { registry, runtimes }, session);
  const request = {
    toolCallId: `try_${randomUUID()}`,
    tool: offered.tool.id,
    input: params['input'] ?? {},
  };
  const { signal } = new AbortController();
  return { envelope: await callTool(request, context, () => undefined, signal) };
}
