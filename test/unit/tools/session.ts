import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import type { Envelope } from '../../../src/base/stream/envelope.ts';
import type { AskRequest, AskUser } from '../../../src/gate/ask.ts';
import type { PolicyFolders } from '../../../src/permissions/patterns/roots.ts';
import { parseRules } from '../../../src/permissions/rules/parseRules.ts';
import { type Policy, UNREADABLE } from '../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../src/permissions/rules/policyCompiler.ts';
import type { RequirementSet } from '../../../src/permissions/rules/requirements.ts';
import type { Rule } from '../../../src/permissions/rules/rule.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../src/runtime/limits.ts';
import {
  createRuntime,
  type RuntimeOptions,
  type SessionRuntime,
} from '../../../src/runtime/local/createRuntime.ts';
import type { SessionServices } from '../../../src/runtime/sessionServices.ts';
import type { CallContext } from '../../../src/tools/call.ts';
import { callTool } from '../../../src/tools/callTool.ts';
import type { Tool } from '../../../src/tools/contract.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';
import { createRegistry } from '../../../src/tools/registry.ts';
import type { Bed } from './bed.ts';

export interface SessionOptions {
  readonly rules?: unknown;
  /** Rules that were read already, instead of `rules`. */
  readonly parsed?: readonly Rule[];
  readonly capabilities?: RequirementSet;
  readonly workspace?: readonly string[];
  readonly extra?: readonly Tool[];
  readonly ask?: AskUser;
  readonly watchdog?: CallContext['watchdog'];
  readonly warn?: CallContext['warn'];
  readonly copies?: NonNullable<CallContext['copies']>;
  readonly limits?: Partial<Limits>;
  readonly services?: Partial<Omit<SessionServices, 'id' | 'progress'>>;
  readonly runtime?: Partial<RuntimeOptions>;
  readonly id?: string;
  readonly sidecars?: string;
}

/** A session as the host makes one, without a host. */
export interface TestSession extends AsyncDisposable {
  readonly runtime: SessionRuntime;
  readonly chunks: Chunk[];
  readonly asks: AskRequest[];
  readonly folders: PolicyFolders;
  call(tool: string, input: unknown, signal?: AbortSignal, inputText?: string): Promise<Envelope>;
}

export function openSession(bed: Bed, options: SessionOptions = {}): TestSession {
  const id = options.id ?? `ses-${randomUUID()}`;
  const state = path.join(bed.data, 'state');
  const workspace = options.workspace ?? [bed.workspace];
  const folders: PolicyFolders = {
    workspace,
    adHoc: [],
    userData: path.join(bed.data, 'user'),
    state,
    sidecars: options.sidecars ?? path.join(state, 'sessions', id, 'out'),
    cwd: workspace[0] ?? path.join(bed.data, 'user'),
  };
  const policy: Policy = {
    rules: options.parsed ?? parseRules(options.rules ?? []).rules,
    ...(options.capabilities && { capabilities: options.capabilities }),
    folders,
    shell: 'bash',
    platform: process.platform,
    headless: options.ask === undefined,
    readGit: UNREADABLE,
  };
  const counts = new Map<string, number>();
  const runtime = createRuntime({
    folders: () => folders,
    limits: () => ({ ...DEFAULT_LIMITS, ...options.limits }),
    shell: 'bash',
    env: process.env,
    session: {
      id,
      setTodo: () => undefined,
      count(name) {
        const next = (counts.get(name) ?? 0) + 1;
        counts.set(name, next);
        return next;
      },
      ...options.services,
    },
    ...options.runtime,
  });
  const chunks: Chunk[] = [];
  const asks: AskRequest[] = [];
  const { ask } = options;
  const context: CallContext = {
    sessionId: id,
    registry: createRegistry([...lockedTools([]), ...(options.extra ?? [])]),
    policy: () => policy,
    compiler: createPolicyCompiler(),
    runtime: (...call) => runtime.runtime(call[0], call[1], call[2], call[3]),
    ...(ask && {
      ask: (request, signal) => {
        asks.push(request);
        return ask(request, signal);
      },
    }),
    ...(options.watchdog && { watchdog: options.watchdog }),
    ...(options.warn && { warn: options.warn }),
    ...(options.copies && { copies: options.copies }),
  };
  return {
    runtime,
    chunks,
    asks,
    folders,
    call: (tool, input, signal = new AbortController().signal, inputText) => {
      const text = inputText === undefined ? {} : { inputText };
      const request = { toolCallId: `call_${chunks.length}`, tool, input, ...text };
      return callTool(request, context, (chunk) => chunks.push(chunk), signal);
    },
    [Symbol.asyncDispose]: () => runtime.close(),
  };
}

/** The text of an error, or a failure of the test. */
export function errorOf(envelope: Envelope): string {
  if (envelope.type === 'error') return envelope.error_text;
  throw new Error(`not an error: ${JSON.stringify(envelope).slice(0, 400)}`);
}

/** The data of an output as plain JSON, or a failure of the test. */
export function dataOf(envelope: Envelope): Record<string, unknown> {
  if (envelope.type === 'output') return JSON.parse(JSON.stringify(envelope.data));
  throw new Error(`not an output: ${envelope.error_text}`);
}

/** A tool that needs nothing and does what the test says. */
export function fakeTool(parts: Partial<Tool> & { readonly id: string }): Tool {
  return {
    kind: 'other',
    description: 'A tool of the test.',
    parameters: { type: 'object' },
    requires: {},
    subjects: () => [{ permission: parts.id, target: '', match: 'text' }],
    execute: async () => ({ ok: true, data: {} }),
    ...parts,
  };
}
