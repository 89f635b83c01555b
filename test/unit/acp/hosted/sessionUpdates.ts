import type { SessionUpdate } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { anyBlock } from '../blocks.ts';

type Kind = SessionUpdate['sessionUpdate'];

const some = fc.string({ minLength: 1, maxLength: 8 });
const maybeNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 6 });
const meta = fc.record({ vendor: fc.record({ note: some }) });
const text = fc.record(
  { type: fc.constant('text'), text: fc.string({ maxLength: 8 }), _meta: meta },
  { requiredKeys: ['type', 'text'] },
);
const block = fc.oneof({ arbitrary: text, weight: 4 }, anyBlock);
const content = {
  content: block,
  messageId: maybeNull(fc.constantFrom('m1', 'm2', 'prt_0123456789abABCDEFGHIJKLMN')),
  _meta: meta,
};
const call = {
  toolCallId: fc.constantFrom('c1', 'c2'),
  title: some,
  name: some,
  kind: fc.constantFrom('read', 'execute', 'other'),
  status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed'),
  content: fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('content'), content: block }),
      fc.record({ type: fc.constant('diff'), path: some, newText: some, oldText: maybeNull(some) }),
      fc.record({ type: fc.constant('terminal'), terminalId: some }),
    ),
    { maxLength: 3 },
  ),
  locations: fc.array(fc.record({ path: some, line: fc.nat(9) }), { maxLength: 2 }),
  rawInput: fc.jsonValue({ maxDepth: 1 }),
  rawOutput: fc.jsonValue({ maxDepth: 1 }),
  _meta: meta,
};
const entry = fc.record(
  {
    content: some,
    status: fc.constantFrom('pending', 'in_progress', 'completed'),
    priority: fc.constantFrom('high', 'medium', 'low'),
    _meta: meta,
  },
  { requiredKeys: ['content', 'status', 'priority'] },
);
const command = fc.record(
  { name: some, description: fc.string(), input: maybeNull(fc.record({ hint: some })) },
  { requiredKeys: ['name', 'description'] },
);
const choice = fc.record(
  { value: some, name: some, description: maybeNull(fc.string()) },
  { requiredKeys: ['value', 'name'] },
);
const field = { id: some, name: some, category: maybeNull(some), description: maybeNull(some) };
const option = fc.oneof(
  fc.record(
    { ...field, type: fc.constant('boolean'), currentValue: fc.boolean() },
    { requiredKeys: ['id', 'name', 'type', 'currentValue'] },
  ),
  fc.record(
    {
      ...field,
      type: fc.constant('select'),
      currentValue: some,
      options: fc.oneof(
        fc.array(choice, { maxLength: 2 }),
        fc.array(fc.record({ group: some, name: some, options: fc.array(choice) }), {
          maxLength: 2,
        }),
      ),
    },
    { requiredKeys: ['id', 'name', 'type', 'currentValue', 'options'] },
  ),
);
const cost = fc.record({ amount: fc.nat(9), currency: fc.constant('USD') });

/** The fields of every kind of update in ACP v1, and how many of the first ones are required. */
const KINDS: Readonly<Record<Kind, readonly [Record<string, fc.Arbitrary<unknown>>, number]>> = {
  user_message_chunk: [content, 1],
  agent_message_chunk: [content, 1],
  agent_thought_chunk: [content, 1],
  tool_call: [call, 2],
  tool_call_update: [call, 1],
  plan: [{ entries: fc.array(entry, { maxLength: 3 }), _meta: meta }, 1],
  available_commands_update: [
    { availableCommands: fc.array(command, { maxLength: 3 }), _meta: meta },
    1,
  ],
  current_mode_update: [{ currentModeId: some, _meta: meta }, 1],
  config_option_update: [{ configOptions: fc.array(option, { maxLength: 3 }), _meta: meta }, 1],
  session_info_update: [{ title: maybeNull(some), updatedAt: maybeNull(some), _meta: meta }, 0],
  usage_update: [{ used: fc.nat(), size: fc.nat(), cost: maybeNull(cost), _meta: meta }, 2],
  notice: [{ severity: some, title: some, description: maybeNull(some), _meta: meta }, 2],
  compaction_update: [
    {
      compactionId: fc.constantFrom('k1', 'k2'),
      status: fc.constantFrom('in_progress', 'completed', 'failed', 'cancelled', 'unheard-of'),
      summary: maybeNull(fc.array(block, { maxLength: 2 })),
      error: maybeNull(some),
      _meta: meta,
    },
    2,
  ],
  compaction_summary_chunk: [
    { compactionId: fc.constantFrom('k1', 'k2'), content: block, _meta: meta },
    2,
  ],
};

/** Any update of any kind, as the wire brings it. */
export const anyUpdate: fc.Arbitrary<SessionUpdate> = fc.oneof(
  ...Object.entries(KINDS).map(([kind, [fields, required]]) =>
    fc
      .record(fields, { requiredKeys: Object.keys(fields).slice(0, required) })
      .map((value) => JSON.parse(JSON.stringify({ sessionUpdate: kind, ...value }))),
  ),
);
