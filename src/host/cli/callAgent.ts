import path from 'node:path';
import { type AgentDefinition, hasTool } from '../../agentDefinitions/definition.ts';
import { parseAgentDefinition } from '../../agentDefinitions/parse.ts';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { CapabilitySet } from '../../permissions/rules/requirements.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import type { Tool } from '../../tools/contract.ts';
import { createRegistry, type Registry } from '../../tools/registry.ts';
import { openAcceptances, sha256 } from '../config/acceptance.ts';
import { userSettingsFile } from '../config/dataFolder.ts';
import { effectiveCapabilities } from '../session/policy/capabilities.ts';

/** The part of an agent definition that applies to a call made as this agent. */
export interface CallAgent {
  readonly definition: AgentDefinition;
  /** The session's tools that the agent has, with the capabilities that it and they declare (spec C-7). */
  narrow(tools: readonly Tool[]): {
    readonly registry: Registry;
    readonly capabilities: CapabilitySet;
  };
  /** Those that allow something only once the user has accepted the manifest, or if it is one of their own. */
  readonly rules: readonly Rule[];
  /** Added to `{workspace}`; empty until the user has accepted the manifest (spec decision 23). */
  readonly roots: readonly string[];
  /** What has no effect until the user accepts the manifest. */
  readonly waiting: readonly ('roots' | 'allow rules')[];
}

interface CallAgentOptions {
  /** The file that stores acceptances. */
  readonly accepted: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Reads the manifest at `file`. */
export async function readCallAgent(
  file: string,
  { accepted, env }: CallAgentOptions,
): Promise<Outcome<CallAgent>> {
  const read = readRegularText(file);
  if (read.state === 'absent') return failure(`${file}: no such file`);
  if (read.state === 'unreadable') return failure(`${file}: ${read.why}`);
  const parsed = await parseAgentDefinition(read.text, file);
  if (!parsed.ok) return parsed;
  const definition = parsed.data;
  // Hash the bytes that were parsed, because the file may have changed since.
  const isAccepted = openAcceptances(accepted).has(file, sha256(read.bytes));
  const own = path.join(path.dirname(userSettingsFile(env)), 'agents');
  const mayAllow = isAccepted || path.dirname(file) === own;
  const { roots, permissions } = definition;
  const held = mayAllow ? [] : permissions.filter(({ action }) => action === 'allow');
  return success({
    definition,
    narrow(tools) {
      const own = tools.filter((tool) => hasTool(definition, tool));
      const capabilities = effectiveCapabilities({ definition, tools: own, approval: 'ask' });
      return { registry: createRegistry(own), capabilities };
    },
    rules: permissions.filter((rule) => !held.includes(rule)).map(toGiven),
    roots: isAccepted ? roots : [],
    waiting: [
      ...(isAccepted || roots.length === 0 ? [] : (['roots'] as const)),
      ...(held.length === 0 ? [] : (['allow rules'] as const)),
    ],
  });
}

/** A rule that the user gave for this call, so that it counts for the tools of the workspace too. */
function toGiven(rule: Rule): Rule {
  return rule.origin === undefined ? rule : { ...rule, origin: { ...rule.origin, layer: 'file' } };
}
