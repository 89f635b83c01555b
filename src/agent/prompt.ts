import { createHash } from 'node:crypto';
import type { ToolCard } from './turn.ts';

/** The five sections of the system prompt (spec CS-77). An empty one leaves no trace. */
export interface PromptParts {
  /** The agent's own prompt, out of its definition. */
  readonly agent: string;
  /** Project instructions, already read and accepted. */
  readonly instructions?: string;
  /** One line for each skill. */
  readonly skills?: string;
  readonly environment: Environment;
  readonly tools: readonly ToolCard[];
}

export interface Environment {
  readonly platform: NodeJS.Platform;
  /** The session's root, absolute (spec CS-5). */
  readonly root: string;
  readonly additionalRoots?: readonly string[];
  /** One line, such as `branch main, 2 files changed`; absent outside a repository. */
  readonly git?: string;
  /** Milliseconds since the epoch; the prompt names the day only, so that caches hold. */
  readonly now: number;
  readonly model: string;
}

/** The prompt in its fixed order, and the SHA-256 that messages carry (`system_prompt_digest`). */
export function systemPrompt(parts: PromptParts): {
  readonly text: string;
  readonly digest: string;
} {
  const text = [
    parts.agent,
    parts.instructions ?? '',
    parts.skills ?? '',
    environmentSection(parts.environment),
    toolSection(parts.tools),
  ]
    .map((section) => section.trim())
    .filter((section) => section !== '')
    .join('\n\n');
  return { text, digest: createHash('sha256').update(text).digest('hex') };
}

function environmentSection(environment: Environment): string {
  const lines = [
    `Platform: ${environment.platform}`,
    `Workspace root: ${environment.root}`,
    ...(environment.additionalRoots ?? []).map((root) => `Also open: ${root}`),
    ...(environment.git === undefined ? [] : [`Git: ${environment.git}`]),
    `Date: ${new Date(environment.now).toISOString().slice(0, 10)}`,
    `Model: ${environment.model}`,
  ];
  return `# Environment\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

function toolSection(tools: readonly ToolCard[]): string {
  if (tools.length === 0) return '';
  const lines = tools.map((tool) => `- ${tool.id}: ${firstSentence(tool.description)}`);
  return `# Tools\n${lines.join('\n')}`;
}

/** The whole description travels with the tool's schema; the catalogue only says what there is. */
function firstSentence(description: string): string {
  const line = description.trim().split('\n', 1)[0] ?? '';
  const end = line.search(/\.(\s|$)/);
  return end < 0 ? line : line.slice(0, end + 1);
}
