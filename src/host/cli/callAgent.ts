import { readFile } from 'node:fs/promises';
import { declaredCapabilities, hasTool } from '../../agentDefinitions/definition.ts';
import { parseAgentDefinition } from '../../agentDefinitions/parse.ts';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { RequirementSet } from '../../permissions/rules/requirements.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import type { Tool } from '../../tools/contract.ts';
import { createRegistry, type Registry } from '../../tools/registry.ts';
import { openAcceptances, sha256 } from '../config/acceptance.ts';

/** The part of an agent definition that applies to a call made as this agent. */
export interface CallAgent {
  readonly name: string;
  /** The session's tools that the agent has, with the capabilities that it and they declare (spec C-7). */
  narrow(tools: readonly Tool[]): {
    readonly registry: Registry;
    readonly capabilities: RequirementSet;
  };
  readonly rules: readonly Rule[];
  /** Added to `{workspace}`; empty until the user has accepted the manifest (spec decision 23). */
  readonly roots: readonly string[];
  /** Declared roots that are not accepted yet. */
  readonly waiting: readonly string[];
}

/** Reads the manifest at `file`; `accepted` is the file that stores acceptances. */
export async function readCallAgent(file: string, accepted: string): Promise<Outcome<CallAgent>> {
  const bytes = await readBytes(file);
  if (!bytes.ok) return bytes;
  const parsed = await parseAgentDefinition(bytes.data.toString('utf8'), file);
  if (!parsed.ok) return parsed;
  const definition = parsed.data;
  // Hash the bytes that were parsed, because the file may have changed since.
  const isAccepted = openAcceptances(accepted).has(file, sha256(bytes.data));
  return success({
    name: definition.name,
    narrow(tools) {
      const own = tools.filter(({ id }) => hasTool(definition, id));
      const capabilities = declaredCapabilities(definition, own) ?? {};
      return { registry: createRegistry(own), capabilities };
    },
    rules: definition.permissions,
    roots: isAccepted ? definition.roots : [],
    waiting: isAccepted ? [] : definition.roots,
  });
}

async function readBytes(file: string): Promise<Outcome<Buffer>> {
  try {
    return success(await readFile(file));
  } catch (fault) {
    return failure(`${file}: ${getMessage(fault)}`);
  }
}
