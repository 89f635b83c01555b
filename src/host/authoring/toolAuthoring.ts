import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { RequestError } from '@agentclientprotocol/sdk';
import type {
  NewToolParams,
  NewToolResult,
  TryTool,
  TryToolResult,
} from '../../acp/gatehouse/tools.ts';
import { schemaFromExample } from '../../declared/scaffold/schemaFromExample.ts';
import { callTool } from '../../tools/callTool.ts';
import type { OpenHost } from '../session/openHost.ts';
import { toCallContext } from '../session/tools/callContext.ts';
import { sessionTools } from '../session/tools/sessionTools.ts';
import { scaffold } from './scaffold.ts';

/** Writes the files of a new tool below an open folder. */
export async function newTool({ services }: OpenHost, tool: NewToolParams): Promise<NewToolResult> {
  const { root, dialect, description, name } = tool;
  const { workspace, settings } = services.configuration.current(services.data.scratch);
  const open = workspace?.roots ?? [];
  if (!open.includes(root)) throw RequestError.invalidParams({ root: 'Must be an open folder.' });
  const schema = schemaFromExample(tool.example ?? {});
  const args = ['--dialect', dialect, '--root', root, '--workspace', root, '--non-interactive'];
  args.push(`--description=${description}`, `--input=${JSON.stringify(schema)}`);
  for (const option of ['tool', 'command', 'url', 'method'] as const) {
    if (tool[option] !== undefined) args.push(`--${option}=${tool[option]}`);
  }
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const streams = { stdin: new PassThrough(), stdout, stderr };
  const words = [...args, '--', name];
  const io = { args: words, env: services.env, cwd: root, ...streams };
  const code = await scaffold(io, settings.limits);
  const written = String(stdout.read() ?? '')
    .split('\n')
    .filter((line) => line !== '');
  if (code === 0) return { files: written.map((file) => path.join(root, file)) };
  const [error = ''] = String(stderr.read() ?? '').split('\n', 1);
  return { files: [], error: error.replace(/^error: /, '') };
}

/** Runs one call of a declared tool through the gate, for its author. */
export async function tryTool(
  { services, sessions }: OpenHost,
  { sessionId, file, pointer, input = {} }: TryTool,
): Promise<TryToolResult> {
  const session = sessions.get(sessionId);
  const found = await sessionTools(services, session);
  const { tools, notOffered } = found;
  const offered = tools.find((each) => each.file === file && each.pointer === pointer);
  if (offered === undefined) {
    const held = notOffered.find(
      (each) => each.file === file && `${each.pointer}/`.startsWith(`${pointer}/`),
    );
    return { why: held?.why ?? 'The manifest has an error, or does not belong to an open folder.' };
  }
  const runtimes = await services.runtimes();
  const context = toCallContext(services, { tools: found, runtimes }, session);
  const request = {
    toolCallId: `try_${randomUUID()}`,
    tool: offered.tool.id,
    input,
  };
  const { signal } = new AbortController();
  return { envelope: await callTool(request, context, () => undefined, signal) };
}
