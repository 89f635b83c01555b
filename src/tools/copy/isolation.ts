import { fieldAt } from '../../base/json.ts';
import { type Outcome, success } from '../../base/outcome.ts';
import type { ToolDisplay } from '../../base/stream/chunk.ts';
import type { Isolation } from '../../base/tools/isolation.ts';

/** What is used of a tool. */
interface IsolatedTool {
  readonly requires: { readonly shell?: unknown; readonly families?: readonly string[] };
  withoutSandbox?(args: unknown): boolean;
}

/** What is used of a call's context. */
interface IsolatingContext {
  readonly ask?: unknown;
  findIsolation?(): Promise<Isolation>;
  confine?(toolCallId: string, signal: AbortSignal): Promise<Outcome<Isolation>>;
}

export function startsPrograms({ requires }: IsolatedTool): boolean {
  return requires.shell !== undefined || requires.families?.includes('shell') === true;
}

/** Where the programs of a call that asks would run. */
export async function foreseeIsolation(
  tool: IsolatedTool,
  input: unknown,
  context: IsolatingContext,
): Promise<Isolation | undefined> {
  if (!startsPrograms(tool)) return undefined;
  return tool.withoutSandbox?.(input) ? 'unconfined' : context.findIsolation?.();
}

/** Where the programs of a call that passed the gate run. Undefined: not known. */
export async function isolate(
  tool: IsolatedTool,
  { inCopy, admitted }: { readonly inCopy?: true; readonly admitted: { readonly input: unknown } },
  toolCallId: string,
  context: IsolatingContext,
  signal: AbortSignal,
): Promise<Outcome<Isolation> | undefined> {
  if (inCopy) return success('copy');
  // The user was asked about it.
  if (tool.withoutSandbox?.(admitted.input)) return success('unconfined');
  return context.confine?.(toolCallId, signal);
}

interface EndedCall {
  readonly tool?: IsolatedTool;
  readonly shown: ToolDisplay;
  readonly context: IsolatingContext;
}

/** What the model is told of a command that failed in the sandbox. `data`: its result, unless it has none. */
export function findSandboxHint(
  { tool, shown, context }: EndedCall,
  data: unknown,
): string | undefined {
  // Only a user can allow a run without it.
  if (tool?.withoutSandbox === undefined || context.ask === undefined) return undefined;
  const isSandboxed = shown.isolation === 'copy' || shown.isolation === 'confined';
  if (!isSandboxed || fieldAt(data, 'exit_code') === 0) return undefined;
  return 'It ran in a sandbox. If that is why it failed (a service, a host or a folder that it could not reach), call again with without_sandbox: true, and the user is asked. Otherwise fix the cause.';
}
