import path from 'node:path';
import { parse } from 'yaml';
import { messageOf } from '../base/faults.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { findSchemaFault } from '../gate/validate.ts';
import { parseRules } from '../permissions/rules/parseRules.ts';
import type { PolicyFolders } from '../permissions/rules/policy.ts';
import type { RequirementSet } from '../permissions/rules/requirements.ts';
import type { Rule } from '../permissions/rules/rule.ts';
import { compileRequirements, uniteRequirements } from '../permissions/rules/scope.ts';
import type { Tool } from './contract.ts';
import { REQUIREMENTS } from './parseRequirements.ts';

/** One agent, as its file says (contract: agents). The field names are the file's own. */
export interface AgentManifest {
  readonly name: string;
  readonly description: string;
  readonly mode: 'primary' | 'subagent' | 'all';
  readonly model?: string;
  /** Ids or globs; absent = every tool. */
  readonly tools?: readonly string[];
  readonly requires: RequirementSet;
  /** Absolute. They join `{workspace}` once the user has accepted them (decision 23). */
  readonly roots: readonly string[];
  readonly permissions: readonly Rule[];
  /** The system prompt. */
  readonly prompt: string;
}

/**
 * Reads an agent's Markdown file. Every fault names the file and the field; a variable that does
 * not exist is found here, not at the first call (C-40, VC-9).
 */
export async function parseAgentManifest(
  text: string,
  file: string,
): Promise<Outcome<AgentManifest>> {
  const parts = /^---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)(.*)$/s.exec(text.replace(/^\ufeff/, ''));
  if (parts === null) return failure(`${file}: it must begin with front matter between --- lines.`);
  const [, front = '', body = ''] = parts;
  const parsed = parseYaml(front, file);
  if (!parsed.ok) return parsed;
  const value: unknown = parsed.data ?? {};
  const fault = await findSchemaFault(FRONT_MATTER, value);
  if (fault !== undefined || !isFrontMatter(value)) return failure(`${file}: ${fault}`);
  return toManifest(value, file, body.trim());
}

/** What the agent asks for: its own set and its tools', with no second edit (C-7, C-8, VC-8). */
export function declaredCapabilities(
  manifest: Pick<AgentManifest, 'requires'>,
  tools: readonly Pick<Tool, 'requires'>[],
): RequirementSet {
  return tools.reduce<RequirementSet>(
    (set, { requires }) => uniteRequirements(set, requires),
    manifest.requires,
  );
}

/** Those of `all` that the manifest names, by id or glob; all of them when it names none. */
export function toolsOf(
  { tools }: Pick<AgentManifest, 'tools'>,
  all: readonly Tool[],
): readonly Tool[] {
  if (tools === undefined) return all;
  return all.filter(({ id }) => tools.some((pattern) => matchesId(pattern, id)));
}

interface FrontMatter {
  readonly name?: string;
  readonly description: string;
  readonly mode?: AgentManifest['mode'];
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly requires?: RequirementSet;
  readonly roots?: readonly string[];
  readonly permissions?: readonly unknown[];
}

const TEXT = { type: 'string', minLength: 1 };

export const FRONT_MATTER = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]*$' },
    description: TEXT,
    mode: { enum: ['primary', 'subagent', 'all'] },
    model: TEXT,
    tools: { type: 'array', items: TEXT },
    requires: REQUIREMENTS,
    roots: { type: 'array', items: TEXT },
    permissions: { type: 'array', items: { type: 'object' } },
  },
  required: ['description'],
  additionalProperties: false,
};

/** The schema has looked at every field; this only tells the compiler. */
function isFrontMatter(value: unknown): value is FrontMatter {
  return typeof value === 'object' && value !== null;
}

function parseYaml(front: string, file: string): Outcome<unknown> {
  try {
    return success(parse(front, { maxAliasCount: 20, strict: true }));
  } catch (fault) {
    return failure(`${file}: ${messageOf(fault)}`);
  }
}

function toManifest(front: FrontMatter, file: string, prompt: string): Outcome<AgentManifest> {
  const name = front.name ?? path.basename(file, '.md');
  const requires = front.requires ?? {};
  const variable = findVariableFault(requires);
  if (variable !== undefined) return failure(`${file}: requires: ${variable}`);
  const { rules, problems } = parseRules(front.permissions ?? [], 'manifest', {
    layer: 'manifest',
    file,
  });
  const [problem] = problems;
  if (problem)
    return failure(`${file}: permissions, entry ${problem.index + 1}: ${problem.message}`);
  return success({
    name,
    description: front.description,
    mode: front.mode ?? 'all',
    ...(front.model !== undefined && { model: front.model }),
    ...(front.tools && { tools: front.tools }),
    requires,
    roots: (front.roots ?? []).map((root) => path.resolve(path.dirname(file), root)),
    // A manifest speaks for itself only, whatever scope it writes.
    permissions: rules.map((rule) => ({ ...rule, source: 'manifest' })),
    prompt,
  });
}

/** Compiled against folders of no meaning: only the names of the variables are looked at. */
function findVariableFault(requires: RequirementSet): string | undefined {
  const folders: PolicyFolders = { workspace: ['/'], adHoc: ['/'], userData: '/', cwd: '/' };
  try {
    compileRequirements(requires, folders);
    return undefined;
  } catch (fault) {
    return messageOf(fault);
  }
}

/** Only `*` is special: any part of an id. Linear, since the pattern is not ours. */
function matchesId(pattern: string, id: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return pattern === id;
  if (!id.startsWith(head) || !id.endsWith(tail) || id.length < head.length + tail.length) {
    return false;
  }
  let at = head.length;
  for (const part of rest) {
    const found = id.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= id.length - tail.length;
}
