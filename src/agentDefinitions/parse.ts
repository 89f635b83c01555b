import path from 'node:path';
import { isAlias, isScalar, parse } from 'yaml';
import { getMessage } from '../base/faults.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { findSchemaFault } from '../gate/validate.ts';
import type { PolicyFolders } from '../permissions/patterns/roots.ts';
import { parseRules } from '../permissions/rules/parseRules.ts';
import type { RequirementSet } from '../permissions/rules/requirements.ts';
import { compileRequirements } from '../permissions/rules/scope.ts';
import { REQUIREMENTS } from '../tools/parseRequirements.ts';
import type { AgentDefinition } from './definition.ts';

/**
 * Parses an agent's Markdown file. Every error names the file and the field. Unknown variables are
 * reported here rather than at the first call (spec C-40, spec VC-9).
 */
export async function parseAgentDefinition(
  text: string,
  file: string,
): Promise<Outcome<AgentDefinition>> {
  const parts = /^---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)(.*)$/s.exec(text.replace(/^\ufeff/, ''));
  if (parts === null) return failure(`${file}: must begin with front matter between --- lines.`);
  const [, front = '', body = ''] = parts;
  const parsed = parseYaml(front, file);
  if (!parsed.ok) return parsed;
  const value: unknown = parsed.data ?? {};
  const fault = await findSchemaFault(FRONT_MATTER, value);
  if (fault !== undefined || !isFrontMatter(value)) return failure(`${file}: ${fault}`);
  return toDefinition(value, file, body.trim());
}

interface FrontMatter {
  readonly name?: string;
  readonly description: string;
  readonly mode?: AgentDefinition['mode'];
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

/** The schema has already validated every field; this only narrows the type. */
function isFrontMatter(value: unknown): value is FrontMatter {
  return typeof value === 'object' && value !== null;
}

function parseYaml(front: string, file: string): Outcome<unknown> {
  try {
    return success(parse(front, { maxAliasCount: 20, strict: true, uniqueKeys: mayBeEqual }));
  } catch (fault) {
    return failure(`${file}: ${getMessage(fault)}`);
  }
}

/** Whether two keys of a mapping may be the same name. Nobody needs an alias as a key, and it hides which one counts. */
function mayBeEqual(a: unknown, b: unknown): boolean {
  if (isAlias(a) || isAlias(b)) return true;
  return isScalar(a) && isScalar(b) && String(a.value) === String(b.value);
}

function toDefinition(front: FrontMatter, file: string, prompt: string): Outcome<AgentDefinition> {
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
    // A manifest's rules apply to itself only, whatever scope it declares.
    permissions: rules.map((rule) => ({ ...rule, source: 'manifest' })),
    prompt,
  });
}

/** Compiles against dummy folders, because only the names of the variables matter. */
function findVariableFault(requires: RequirementSet): string | undefined {
  const folders: PolicyFolders = { workspace: ['/'], adHoc: ['/'], userData: '/', cwd: '/' };
  try {
    compileRequirements(requires, folders);
    return undefined;
  } catch (fault) {
    return getMessage(fault);
  }
}
