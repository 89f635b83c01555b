import path from 'node:path';
import { isAlias, isNode, isScalar, isSeq, LineCounter, parse, parseDocument } from 'yaml';
import { getMessage } from '../base/faults.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { splitFrontMatter } from '../base/text/frontMatter.ts';
import { findSchemaFault } from '../gate/validate.ts';
import type { PolicyFolders } from '../permissions/patterns/roots.ts';
import { parseRules } from '../permissions/rules/parseRules.ts';
import type { RequirementSet } from '../permissions/rules/requirements.ts';
import type { Rule } from '../permissions/rules/rule.ts';
import { compileRequirements } from '../permissions/rules/scope.ts';
import { REQUIREMENTS } from '../tools/parseRequirements.ts';
import { toClaudeFields } from './claudeFields.ts';
import type { AgentDefinition } from './definition.ts';

/**
 * Parses an agent's Markdown file. Every error names the file and the field. Unknown variables are
 * reported here rather than at the first call (spec C-40, spec VC-9).
 */
export async function parseAgentDefinition(
  text: string,
  file: string,
): Promise<Outcome<AgentDefinition>> {
  const parts = splitFrontMatter(text);
  if (parts === undefined) {
    return failure(`${file}: must begin with front matter between --- lines.`);
  }
  const { front, body } = parts;
  const parsed = parseYaml(front, file);
  if (!parsed.ok) return parsed;
  const value: unknown = parsed.data ?? {};
  const fault = await findSchemaFault(FRONT_MATTER, value);
  if (fault !== undefined || !isFrontMatter(value)) return failure(`${file}: ${fault}`);
  return toDefinition(value, { file, front, prompt: body.trim() });
}

/** An agent of Claude Code, and the names of what in its file has no effect. */
export interface ClaudeAgent {
  readonly definition: AgentDefinition;
  readonly ignored: readonly string[];
}

/** Parses an agent's file of Claude Code, which has other fields, and writes some of ours in another way. */
export async function parseClaudeAgent(text: string, file: string): Promise<Outcome<ClaudeAgent>> {
  const parts = splitFrontMatter(text);
  if (parts === undefined) {
    return failure(`${file}: must begin with front matter between --- lines.`);
  }
  const fields = toClaudeFields(parts.front);
  if (!fields.ok) return failure(`${file}: ${fields.error}`);
  const { front, ignored } = fields.data;
  const value = Object.fromEntries(Object.entries(front).filter(([, each]) => each !== undefined));
  const fault = await findSchemaFault(FRONT_MATTER, value);
  if (fault !== undefined || !isFrontMatter(value)) return failure(`${file}: ${fault}`);
  const own = { file, front: '', prompt: parts.body.trim() };
  const definition = toDefinition(value, own);
  return definition.ok ? success({ definition: definition.data, ignored }) : definition;
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
  readonly caller?: 'agent';
  readonly inspectable?: boolean;
}

const TEXT = { type: 'string', minLength: 1 };
const NAME = '^[a-z][a-z0-9-]*$';

export const FRONT_MATTER = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: NAME },
    description: TEXT,
    mode: { enum: ['primary', 'subagent', 'all'] },
    model: TEXT,
    tools: { type: 'array', items: TEXT },
    requires: REQUIREMENTS,
    roots: { type: 'array', items: TEXT },
    permissions: { type: 'array', items: { type: 'object' } },
    caller: { enum: ['agent'] },
    inspectable: { type: 'boolean' },
  },
  required: ['description'],
  additionalProperties: false,
};

/** The schema has already validated every field; this only narrows the type. */
function isFrontMatter(value: unknown): value is FrontMatter {
  return typeof value === 'object' && value !== null;
}

const YAML = { maxAliasCount: 20, strict: true, uniqueKeys: mayBeEqual };

function parseYaml(front: string, file: string): Outcome<unknown> {
  try {
    return success(parse(front, YAML));
  } catch (fault) {
    return failure(`${file}: ${getMessage(fault)}`);
  }
}

/** The line of each rule in the file, 1-based. The text is valid. */
function findRuleLines(front: string): readonly (number | undefined)[] {
  const lineCounter = new LineCounter();
  const rules = parseDocument(front, { ...YAML, lineCounter }).get('permissions');
  if (!isSeq(rules)) return [];
  return rules.items.map((item) => {
    const start = isNode(item) ? item.range?.[0] : undefined;
    // The front matter begins on the second line.
    return start === undefined ? undefined : lineCounter.linePos(start).line + 1;
  });
}

/** Whether two keys of a mapping may be the same name. Nobody needs an alias as a key, and it hides which one counts. */
function mayBeEqual(a: unknown, b: unknown): boolean {
  if (isAlias(a) || isAlias(b)) return true;
  return isScalar(a) && isScalar(b) && String(a.value) === String(b.value);
}

function toDefinition(front: FrontMatter, source: DefinitionSource): Outcome<AgentDefinition> {
  const { file, prompt } = source;
  const name = front.name ?? path.basename(file, '.md');
  // A name that others look like, with what can't be seen, would stand for another agent.
  if (!new RegExp(NAME).test(name)) return failure(`${file}: ${BAD_NAME}`);
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
  const lines = rules.length === 0 ? [] : findRuleLines(source.front);
  return success({
    name,
    description: front.description,
    mode: front.mode ?? 'all',
    ...(front.model !== undefined && { model: front.model }),
    ...(front.tools && { tools: front.tools }),
    ...(front.caller && { caller: front.caller }),
    ...(front.inspectable === true && { inspectable: true as const }),
    requires,
    roots: (front.roots ?? []).map((root) => path.resolve(path.dirname(file), root)),
    // A manifest's rules apply to itself only, whatever scope it declares.
    permissions: rules.map((rule) => toOwnRule(rule, lines)),
    prompt,
  });
}

const BAD_NAME =
  'its file name must be lower-case letters, digits and hyphens, or the front matter needs a name.';

interface DefinitionSource {
  readonly file: string;
  /** The text of the front matter. */
  readonly front: string;
  readonly prompt: string;
}

function toOwnRule(rule: Rule, lines: readonly (number | undefined)[]): Rule {
  const { origin } = rule;
  const line = origin && lines[origin.index];
  return {
    ...rule,
    source: 'manifest',
    ...(origin && line !== undefined && { origin: { ...origin, line } }),
  };
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
