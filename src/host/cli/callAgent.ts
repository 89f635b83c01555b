import { readFile } from 'node:fs/promises';
import { declaredCapabilities, hasTool } from '../../agentDefinitions/definition.ts';
import { parseAgentDefinition } from '../../agentDefinitions/parse.ts';
import { messageOf } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { RequirementSet } from '../../permissions/rules/requirements.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import { createRegistry, type Registry } from '../../tools/registry.ts';
import { openAcceptances, sha256 } from '../config/acceptance.ts';

/** What a call is given when it is made as one agent. */
export interface CallAgent {
  readonly registry: Registry;
  /** The manifest's and its tools' (C-7). */
  readonly capabilities: RequirementSet;
  readonly rules: readonly Rule[];
  /** They join `{workspace}`; none before the user has accepted the manifest (decision 23). */
  readonly roots: readonly string[];
  /** Declared, and waiting for that. */
  readonly waiting: readonly string[];
}

/** Reads the manifest at `file`; `accepted` is the store of what the user said yes to. */
export async function readCallAgent(file: string, accepted: string): Promise<Outcome<CallAgent>> {
  const bytes = await readBytes(file);
  if (!bytes.ok) return bytes;
  const parsed = await parseAgentDefinition(bytes.data.toString('utf8'), file);
  if (!parsed.ok) return parsed;
  const definition = parsed.data;
  const all = createRegistry();
  const tools = all.list().filter(({ id }) => hasTool(definition, id));
  // The bytes that were read are what counts: the file may be another by now.
  const isAccepted = openAcceptances(accepted).has(file, sha256(bytes.data));
  return success({
    registry: {
      ...all,
      get: (id) => tools.find((tool) => tool.id === id),
      list: () => tools,
    },
    capabilities: declaredCapabilities(definition, tools) ?? {},
    rules: definition.permissions,
    roots: isAccepted ? definition.roots : [],
    waiting: isAccepted ? [] : definition.roots,
  });
}

async function readBytes(file: string): Promise<Outcome<Buffer>> {
  try {
    return success(await readFile(file));
  } catch (fault) {
    return failure(`${file}: ${messageOf(fault)}`);
  }
}
