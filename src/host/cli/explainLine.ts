import path from 'node:path';
import { toCodeSpan } from '../../base/codeSpan.ts';
import { getMessage } from '../../base/faults.ts';
import { isRecord } from '../../base/json.ts';
import { SERVER_CALL } from '../../base/tools/mcpServer.ts';
import { getToolFacts } from '../../base/tools/toolFacts.ts';
import { resolveCall } from '../../gate/subjects.ts';
import { findBrokenText, findCallFault } from '../../gate/validate.ts';
import { confirmed } from '../../gate/watchdog.ts';
import { DEFAULT_RULES } from '../../permissions/defaults/defaults.ts';
import { evaluate } from '../../permissions/evaluate/evaluate.ts';
import { type ExplainedDecision, toExplained } from '../../permissions/explain/toExplained.ts';
import { parseRules, type RuleProblem } from '../../permissions/rules/parseRules.ts';
import {
  type Candidate,
  type Decision,
  type Policy,
  UNREADABLE,
} from '../../permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../permissions/rules/policyCompiler.ts';
import type { RequirementSet } from '../../permissions/rules/requirements.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import type { Subject } from '../../permissions/rules/subject.ts';
import { createReadGit } from '../../runtime/commands/readGit.ts';
import { HEADLESS_ANSWER } from '../../tools/locked/question.ts';
import { parseRequirements } from '../../tools/parseRequirements.ts';
import { createRegistry, type Registry } from '../../tools/registry.ts';
import { createGitGuard } from '../session/copy/findNamedByGit.ts';
import { listHostTools } from '../tools/hostTools.ts';

/** One answer of `gatehouse explain`. `error` is the schema layer, `refuse` the capability layer. */
export interface Explanation {
  readonly id: unknown;
  readonly decision: Decision['decision'] | 'error';
  readonly layer: 'schema' | Decision['layer'];
  readonly reason: string;
  readonly rule?: Rule;
  readonly subjects: ExplainedDecision['subjects'];
  /** The rule that nearly covered a part, and the difference. */
  readonly near?: string;
  /** The rules that "always" could store. */
  readonly candidates?: readonly Candidate[];
  /** The invalid rules of the line, by position. */
  readonly problems?: readonly RuleProblem[];
}

/** Defaults for fields that a line omits. None of these folders need to exist. */
export interface ExplainDefaults {
  /** Where relative paths start when neither `workspace` nor `cwd` is given. */
  readonly scratch: string;
  /** `{user-data}`. */
  readonly userData?: string;
  /** Never written by a tool (spec decision 11). */
  readonly state?: string;
  /** How long the folders of a line are looked at, in milliseconds. */
  readonly lookMs?: number;
}

/** Explains one line of JSON, independent of other lines. An invalid line gets an error answer; nothing is thrown. */
export async function explainLine(line: string, defaults: ExplainDefaults): Promise<Explanation> {
  let parsed: unknown;
  try {
    // Some programs begin a stream with a byte order mark.
    parsed = JSON.parse(line.replace(/^\uFEFF/, ''));
  } catch (fault) {
    return toError(null, `The line is not JSON: ${getMessage(fault)}.`);
  }
  if (!isRecord(parsed))
    return toError(null, 'Each line must be a JSON object {id, tool, input, …}.');
  // Null fields count as absent.
  const fields = Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== null));
  try {
    return await explain(fields, defaults);
  } catch (fault) {
    return toError(fields['id'] ?? null, getMessage(fault));
  }
}

let registry: Promise<Registry> | undefined;
const compiler = createPolicyCompiler();

async function explain(
  fields: Record<string, unknown>,
  defaults: ExplainDefaults,
): Promise<Explanation> {
  const { id = null, tool: name, input } = fields;
  const fault = findFieldFault(fields);
  if (fault !== undefined) return toError(id, fault);
  const toolId = String(name);
  const capabilities = await readCapabilities(fields['capabilities']);
  if (typeof capabilities === 'string') return toError(id, capabilities);

  const unnamed = findNameFault(toolId);
  if (unnamed !== undefined) return toError(id, unnamed);
  registry ??= listHostTools().then(createRegistry);
  const tool = (await registry).get(toolId);
  const schema = tool && (await findCallFault(tool, input));
  if (schema !== undefined) return toError(id, schema);
  if (getToolFacts(toolId)?.needsUser && fields['headless'] === true)
    return toError(id, HEADLESS_ANSWER);

  const { rules, problems } = parseRules(toSources(fields['rules']));
  const policy = toPolicy(fields, rules, capabilities, defaults);
  const call = tool
    ? resolveCall(tool, input, policy)
    : { subjects: foreignSubjects(toolId, input), policy };
  const compiled = compiler.compile(call.policy);
  const evaluated = await evaluate({ tool: toolId, input, subjects: call.subjects }, compiled);
  const decision = tool ? confirmed(tool, input, evaluated, policy.headless) : evaluated;
  const passes = decision.decision === 'allow' || decision.decision === 'ask';
  const broken = passes ? findBrokenText(input) : undefined;
  if (broken !== undefined) return toError(id, broken);
  return {
    id,
    ...toExplained(decision),
    ...(problems.length > 0 && { problems }),
  };
}

/** Why no tool has this name, or undefined. Rules may have wildcards, and calls name one tool. */
function findNameFault(id: string): string | undefined {
  const shown = toCodeSpan(id);
  if (id.includes('*')) return `${shown} names no single tool. Only rules have wildcards.`;
  if (!id.startsWith('mcp:') || /^mcp:[^:]+:[^:]+$/.test(id)) return undefined;
  return `${shown} names no tool of an MCP server. Name one as \`mcp:server:tool\`.`;
}

/** The subject of a tool that is not the host's own: one of an MCP server, or one that a manifest declares. */
function foreignSubjects(id: string, input: unknown): readonly [Subject] {
  const server = id.startsWith('mcp:') && { capability: SERVER_CALL };
  return [{ permission: id, ...server, target: JSON.stringify(input ?? {}), match: 'text' }];
}

function toPolicy(
  fields: Record<string, unknown>,
  rules: readonly Rule[],
  capabilities: RequirementSet | undefined,
  { scratch, userData, state, lookMs }: ExplainDefaults,
): Policy {
  const platform = PLATFORMS.find((each) => each === fields['platform']) ?? process.platform;
  const workspace = toFolders(fields['workspace'], platform);
  const cwd =
    typeof fields['cwd'] === 'string'
      ? toFolder(fields['cwd'], platform, workspace[0] ?? '/')
      : undefined;
  return {
    rules: fields['defaults'] === true ? [...DEFAULT_RULES, ...rules] : rules,
    ...(capabilities !== undefined && { capabilities }),
    folders: {
      workspace,
      adHoc: [],
      ...(userData !== undefined && { userData }),
      ...(state !== undefined && { state }),
      cwd: cwd ?? workspace[0] ?? scratch,
    },
    shell:
      SHELLS.find((each) => each === fields['shell']) ?? (platform === 'win32' ? 'pwsh' : 'bash'),
    platform,
    headless: fields['headless'] === true,
    ...(lookMs !== undefined && { lookMs }),
    // What lies in folders of another platform can't be looked at.
    readGit: platform === process.platform ? createReadGit(workspace) : UNREADABLE,
    ...(platform === process.platform && { isNamedByGit: createGitGuard(workspace) }),
  };
}

const SHELLS = ['bash', 'pwsh', 'cmd'] as const;
const PLATFORMS = [
  'linux',
  'darwin',
  'win32',
  'freebsd',
  'openbsd',
  'aix',
  'sunos',
  'android',
] as const;

function findFieldFault(fields: Record<string, unknown>): string | undefined {
  const { tool, headless, shell, platform, workspace, cwd, defaults } = fields;
  if (typeof tool !== 'string' || tool === '') return '"tool" must be the id of a tool.';
  if (headless !== undefined && typeof headless !== 'boolean')
    return '"headless" must be true or false.';
  if (defaults !== undefined && typeof defaults !== 'boolean')
    return '"defaults" must be true or false.';
  if (shell !== undefined && !SHELLS.some((each) => each === shell)) {
    return `"shell" must be one of ${SHELLS.join(', ')}.`;
  }
  if (platform !== undefined && !PLATFORMS.some((each) => each === platform)) {
    return `"platform" must be one of ${PLATFORMS.join(', ')}.`;
  }
  if (cwd !== undefined && typeof cwd !== 'string') return '"cwd" must be a folder.';
  const folders = Array.isArray(workspace) ? workspace : [workspace ?? ''];
  return folders.every((each) => typeof each === 'string')
    ? undefined
    : '"workspace" must be a folder.';
}

function toFolders(workspace: unknown, platform: NodeJS.Platform): readonly string[] {
  const folders: readonly unknown[] = Array.isArray(workspace) ? workspace : [workspace];
  return folders
    .filter((folder): folder is string => typeof folder === 'string' && folder !== '')
    .map((folder) => toFolder(folder, platform, process.cwd()));
}

/** Resolves a folder by the conventions of the line's platform, which may not be the current one. */
function toFolder(folder: string, platform: NodeJS.Platform, base: string): string {
  const drive = /^[a-z]:[\\/]|^[\\/]{2}/i;
  const foreign = platform === 'win32' && (drive.test(folder) || drive.test(base));
  return foreign ? path.win32.resolve(base, folder) : path.resolve(base, folder);
}

async function readCapabilities(value: unknown): Promise<RequirementSet | string | undefined> {
  if (value === undefined) return undefined;
  const parsed = await parseRequirements(value);
  return parsed.ok ? parsed.data : `"capabilities": ${parsed.error}`;
}

/** Recorded corpora write `scope` for `source` (spec decision 13). */
function toSources(rules: unknown): unknown {
  if (!Array.isArray(rules)) return rules;
  return rules.map((rule: unknown) =>
    isRecord(rule) && rule['source'] === undefined && rule['scope'] !== undefined
      ? { ...rule, source: rule['scope'] }
      : rule,
  );
}

function toError(id: unknown, reason: string): Explanation {
  return { id, decision: 'error', layer: 'schema', reason, subjects: [] };
}
