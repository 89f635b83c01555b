import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AskReply, AskRequest, AskUser } from '../../../src/gate/ask.ts';
import type { DecisionEvent } from '../../../src/gate/decisionEvent.ts';
import type { GateContext } from '../../../src/gate/gateContext.ts';
import type { Operation } from '../../../src/gate/operation.ts';
import { type PrepareAsk, passGate } from '../../../src/gate/passGate.ts';
import { COPY_RULES } from '../../../src/permissions/defaults/copyRules.ts';
import { parseRules } from '../../../src/permissions/rules/parseRules.ts';
import { type Policy, UNREADABLE } from '../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../src/permissions/rules/policyCompiler.ts';
import type { RequirementSet } from '../../../src/permissions/rules/requirements.ts';
import type { Rule } from '../../../src/permissions/rules/rule.ts';

/** What a hosted agent asks of its client with `fs/write_text_file`: a side effect that no tool of ours carries out. */
export const hostedWrite: Operation = {
  id: 'write',
  kind: 'edit',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
  subjects: (input) => [
    {
      permission: 'write',
      capability: 'fs.write',
      target: String(Object(input).path),
      match: 'path',
    },
  ],
  title: (input) => `Write ${Object(input).path}`,
};

function isOutside(input: unknown): boolean {
  return Object(input).without_sandbox === true;
}

/** The same for `terminal/create`. */
export const hostedTerminal: Operation = {
  id: 'bash',
  kind: 'execute',
  parameters: { type: 'object', properties: { command: { type: 'string' } } },
  subjects: (input) => [
    {
      permission: 'bash',
      capability: 'shell.run',
      target: String(Object(input).command),
      match: 'command',
    },
  ],
  runsInCopy: (input) => Object(input).background !== true && !isOutside(input),
  withoutSandbox: isOutside,
};

export interface Hosted extends Disposable {
  readonly workspace: string;
  readonly asks: AskRequest[];
  readonly events: DecisionEvent[];
  /** The rules in force; what an answer stores is added here. */
  rules: readonly Rule[];
  readonly context: GateContext;
  pass(
    operation: Operation,
    input: unknown,
    more?: { readonly prepare?: PrepareAsk; readonly signal?: AbortSignal },
  ): ReturnType<typeof passGate>;
}

export interface HostedOptions {
  readonly rules?: readonly object[];
  readonly capabilities?: RequirementSet;
  readonly headless?: boolean;
  /** The answers in the order of the asks; without one the ask stays pending. */
  readonly answers?: readonly AskReply[];
  readonly ask?: AskUser;
  readonly watchdog?: GateContext['watchdog'];
  /** Offers a copy of the workspace for the commands that no rule decides. */
  readonly copies?: boolean;
}

/** A session of a hosted agent: rules, a user, and nothing that could carry anything out. */
export function openHosted(options: HostedOptions = {}): Hosted {
  const workspace = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-gate-'));
  const { headless = false, capabilities, watchdog, copies } = options;
  const answers = [...(options.answers ?? [])];
  const waitForever = () => new Promise<AskReply>(() => undefined);
  const policy = (): Policy => ({
    rules: copies ? [...COPY_RULES, ...hosted.rules] : hosted.rules,
    ...(capabilities && { capabilities }),
    folders: { workspace: [workspace], adHoc: [], cwd: workspace },
    shell: 'bash',
    platform: process.platform,
    headless,
    readGit: UNREADABLE,
  });
  const context: GateContext = {
    sessionId: 'ses-1',
    policy,
    compiler: createPolicyCompiler(),
    onDecision: (event) => hosted.events.push(event),
    ...(watchdog && { watchdog }),
    ...(copies && { copies: () => true }),
    ...(!headless && {
      ask: async (request, signal) => {
        hosted.asks.push(request);
        return options.ask?.(request, signal) ?? answers.shift() ?? waitForever();
      },
    }),
  };
  let calls = 0;
  const hosted: Hosted = {
    workspace,
    asks: [],
    events: [],
    rules: parseRules(options.rules ?? []).rules,
    context,
    pass(operation, input, { prepare, signal = new AbortController().signal } = {}) {
      calls += 1;
      const call = { toolCallId: `call-${calls}`, operation, context, signal };
      return passGate(call, input, prepare);
    },
    [Symbol.dispose]: () => rmSync(workspace, { recursive: true, force: true, maxRetries: 5 }),
  };
  return hosted;
}

/** Rules as a session stores them. */
export function sessionRules(rules: readonly object[]): readonly Rule[] {
  return parseRules(rules, 'session').rules;
}

/** The short form of what was settled. */
export function toShort({ about, decision, by }: DecisionEvent): string {
  return `${about} ${decision} by ${by}`;
}
