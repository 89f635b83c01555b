import { readFile } from 'node:fs/promises';
import { messageOf } from '../base/faults.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import type { RequirementSet } from '../permissions/requirements.ts';
import type { Rule } from '../permissions/rule.ts';
import { declaredCapabilities, parseAgentManifest, toolsOf } from '../tools/agentManifest.ts';
import { createRegistry, type Registry } from '../tools/registry.ts';
import { openAcceptances } from './acceptance.ts';

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
  const text = await readText(file);
  if (!text.ok) return text;
  const parsed = await parseAgentManifest(text.data, file);
  if (!parsed.ok) return parsed;
  const manifest = parsed.data;
  const all = createRegistry();
  const tools = toolsOf(manifest, all.list());
  const isAccepted = openAcceptances(accepted).hasFile(file);
  return success({
    registry: {
      ...all,
      get: (id) => tools.find((tool) => tool.id === id),
      list: () => tools,
    },
    capabilities: declaredCapabilities(manifest, tools),
    rules: manifest.permissions,
    roots: isAccepted ? manifest.roots : [],
    waiting: isAccepted ? [] : manifest.roots,
  });
}

async function readText(file: string): Promise<Outcome<string>> {
  try {
    return success(await readFile(file, 'utf8'));
  } catch (fault) {
    return failure(`${file}: ${messageOf(fault)}`);
  }
}
